// A wait that lets a signal in looks at its descriptors first. The signal stays pending then. A wait with a time limit ends by
// the limit, or by the signal.
//@ outcomes: 1,0,1 -1,1,1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t come;
static pthread_t receiver;
static int ends[2];

static void handle(int signal) {
    (void)signal;
    come++;
}

static void *provide(void *unused) {
    pthread_kill(receiver, SIGUSR1);
    (void)!write(ends[1], "x", 1);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle};
    struct timespec none_at_all = {0};
    sigset_t set, none;
    pthread_t thread;
    if (pipe(ends))
        return 1;
    struct pollfd asked = {.fd = ends[0], .events = POLLIN};
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    // Neither is there.
    assert(ppoll(&asked, 1, &none_at_all, &none) == 0 && come == 0);
    receiver = pthread_self();
    pthread_create(&thread, NULL, provide, NULL);
    int ready = ppoll(&asked, 1, NULL, &none), handled = come;
    assert(ready == 1 || errno == EINTR);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf("%d,%d,%d\n", ready, handled, come);
    // Both are there: at once, with no limit to wait for.
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_kill(receiver, SIGUSR1);
    assert(ppoll(&asked, 1, &none_at_all, &none) == 1 && come == 1);
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
    assert(ppoll(&asked, 1, &none_at_all, &none) == -1 && errno == EINTR && come == 2);
    return 0;
}
