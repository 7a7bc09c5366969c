// Nothing orders what a detached thread does and what others do later.
//@ flags: --check race
#include <pthread.h>

int data;

static void *one(void *unused) {
    data = 1; //~ ERROR: data race on `data`
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    pthread_detach(thread);
    data = 2;
    return 0;
}
