// Writing past the end of a thread's own array.
#include <pthread.h>

static _Thread_local volatile int own[4];
static volatile int index = 4;

static void *work(void *argument) {
    (void)argument;
    own[index] = 1; //~ ERROR: out of bounds: write of 4 bytes at offset 16 of `own`
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
