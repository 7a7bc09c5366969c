// The loop that waits for the sum is one line: with a lock around it, no other thread can add.
#include <pthread.h>
#include <sched.h>

volatile int count;

static void *add(void *unused) {
    count++; //~ NOTE: was the last to write
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    while (count < 2) sched_yield(); //~ ERROR: livelock
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
