// The flag is a plain variable, read once before the loop, which is what a compiler may make of `while (!flag)`.
#include <pthread.h>

static int flag;

static void *wait(void *unused) {
    if (!flag)
        for (;;) //~ ERROR: livelock: thread 0.1 spins forever
            __asm__ volatile("pause");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    flag = 1;
    pthread_join(thread, NULL); //~ NOTE: thread 0 waits for the end of thread 0.1
    return 0;
}
