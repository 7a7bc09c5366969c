// Nothing synchronises: stores that change order are enough for the failure.
// (Kasikci, Zamfir and Candea: symbolic memory consistency modelling; the flag is read first, so that no schedule of a
// sequentially consistent machine fails.)
#include <assert.h>
#include <pthread.h>

static volatile int x, y;

static void *first(void *unused) {
    x = 2;
    y = 1;
    return unused;
}

static void *second(void *unused) {
    x = 2;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    int flag = y;
    int data = x;
    assert(!(flag == 1 && data == 0)); //~[pso,weak] ERROR: assertion failed
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
