// The counter is increased on lines that begin with a label: code before the line is not behind the label.
#include <assert.h>
#include <pthread.h>

volatile int count;

static void *add(void *unused) {
    int left = 2;
again: count++;
    if (--left)
        goto again;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 4); //~ ERROR: assertion failed
    return 0;
}
