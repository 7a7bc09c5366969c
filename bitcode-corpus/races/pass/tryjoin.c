// A tryjoin that succeeds is a join.
//@ flags: --check race
#define _GNU_SOURCE
#include <pthread.h>

int data;

static void *one(void *unused) {
    data = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    if (pthread_tryjoin_np(thread, NULL) == 0)
        data = 2;
    else
        pthread_join(thread, NULL);
    return 0;
}
