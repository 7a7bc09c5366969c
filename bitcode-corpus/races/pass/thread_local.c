// Each thread has its own.
//@ flags: --check race
#include <pthread.h>

_Thread_local int x;
int first, second;

static void *one(void *unused) {
    x++;
    first = x;
    return unused;
}

static void *two(void *unused) {
    x++;
    second = x;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
