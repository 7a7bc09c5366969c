// One thread does not ask for the routine.
//@ flags: --check race
#include <pthread.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
int data, seen;

static void initialise(void) {
    data = 1; //~ ERROR: data race on `data`
}

static void *one(void *unused) {
    pthread_once(&control, initialise);
    return unused;
}

static void *two(void *unused) {
    seen = data;
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
