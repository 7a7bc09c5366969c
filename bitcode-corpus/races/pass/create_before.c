// Creating a thread comes after what was done before.
//@ flags: --check race
#include <pthread.h>

int data, seen;

static void *one(void *unused) {
    seen = data;
    return unused;
}

int main(void) {
    data = 1;
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    pthread_join(thread, NULL);
    data = 2;
    return 0;
}
