// An increment is a read and a write.
//@ flags: --check race
#include <pthread.h>

int x;

static void *one(void *unused) {
    x++; //~ ERROR: data race on `x`
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, one, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
