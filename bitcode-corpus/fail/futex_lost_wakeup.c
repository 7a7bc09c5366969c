// The word is not changed before the wake-up, so a waiter that comes late sleeps for ever.
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int word;

static void *run(void *unused) {
    syscall(202, &word, 1, 1, 0, 0, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    syscall(202, &word, 0, 0, 0, 0, 0); //~ ERROR: waits for a wake-up at the futex `word`
    pthread_join(thread, NULL);
    return 0;
}
