// A race in executions that end in a failure which is not asked for: it is found, and replays.
//@ flags: --check race
#include <pthread.h>

int only;
int *next = &only;

static void *advance(void *unused) {
    next++; //~ ERROR: data race
    (*next)++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, advance, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
