// A signal that is blocked but for a wait for descriptors ends that wait, whenever it comes: no wake-up is lost between the
// look at the flag and the wait.
//@ outcomes: 3
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile sig_atomic_t come;

static void handle(int signal) {
    (void)signal;
    come++;
}

static void *send_signal(void *receiver) {
    pthread_kill(*(pthread_t *)receiver, SIGUSR1);
    return NULL;
}

static void send_signal_to(pthread_t *receiver) {
    pthread_t thread;
    pthread_create(&thread, NULL, send_signal, receiver);
    pthread_detach(thread);
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigset_t set, none;
    pthread_t self = pthread_self();
    struct epoll_event event;
    int epoll = epoll_create1(0);
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    send_signal_to(&self);
    while (come < 1)
        if (pselect(0, NULL, NULL, NULL, NULL, &none) != -1 || errno != EINTR)
            return 1;
    send_signal_to(&self);
    while (come < 2)
        if (ppoll(NULL, 0, NULL, &none) != -1 || errno != EINTR)
            return 1;
    send_signal_to(&self);
    while (come < 3)
        if (epoll_pwait(epoll, &event, 1, -1, &none) != -1 || errno != EINTR)
            return 1;
    printf("%d\n", come);
    return 0;
}
