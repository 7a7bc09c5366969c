// A signal reaches a thread whose routine has returned: its handler runs before the thread ends.
//@ outcomes: 0 0h 2 2h h0 h2
//@ again: --reduction source-sets
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int shared;
static pthread_t writer, reader;

static void handle(int signal) {
    (void)signal;
    write(1, "h", 1);
}

static void *set(void *unused) {
    shared = 2;
    return unused;
}

static void *read_and_signal(void *unused) {
    (void)unused;
    int seen = shared;
    pthread_kill(writer, SIGUSR1);
    return (void *)(uintptr_t)seen;
}

int main(void) {
    void *seen;
    signal(SIGUSR1, handle);
    pthread_create(&writer, NULL, set, NULL);
    pthread_create(&reader, NULL, read_and_signal, NULL);
    pthread_join(reader, &seen);
    write(1, seen ? "2" : "0", 1);
    return 0;
}
