// Who calls the routine comes after it, whoever ran it.
//@ flags: --check race
#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
int data, first, second;

static void initialise(void) {
    data = 1;
}

static void *one(void *unused) {
    pthread_once(&control, initialise);
    first = data;
    return unused;
}

static void *two(void *unused) {
    pthread_once(&control, initialise);
    second = data;
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
