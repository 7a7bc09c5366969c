// The flag is a plain variable, read once before the loop, which is what a compiler may make of `while (!flag)`.
#include <pthread.h>

static int flag;

static void *wait(void *unused) {
    if (!flag)
        for (;;) //~ ERROR: livelock: T1 wait spins forever
            __asm__ volatile("pause");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    flag = 1;
    pthread_join(thread, NULL); //~ NOTE: T0 main waits for the end of T1 wait
    return 0;
}
