// A signal without a handler ends the whole process, whichever thread it was sent to. Here it is ignored instead.
//@ outcomes: 1
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, SIG_IGN);
    pthread_create(&thread, NULL, run, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    puts("1");
    return 0;
}
