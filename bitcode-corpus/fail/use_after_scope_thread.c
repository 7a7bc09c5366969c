// A thread is handed a variable whose scope ends before the thread is waited for.
#include <pthread.h>
#include <stdio.h>

static void *work(void *argument) {
    volatile int *number = argument;
    if (*number == 4) //~ ERROR: use after scope
        puts("four");
    return NULL;
}

static volatile int start = 1;

int main(void) {
    pthread_t thread;
    if (start) {
        int number = 4;
        pthread_create(&thread, NULL, work, &number);
    }
    pthread_join(thread, NULL);
    return 0;
}
