// A thread waits with epoll for a signal that another sends to it; one sent to the other thread is not its own.
//@ outcomes: 1,12
//@ native
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static pthread_t first;

static void *send(void *unused) {
    (void)unused;
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_kill(first, SIGUSR2);
    return NULL;
}

int main(void) {
    sigset_t set;
    pthread_t thread;
    struct signalfd_siginfo found;
    struct epoll_event event = {.events = EPOLLIN};
    first = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int file = signalfd(-1, &set, 0), all = epoll_create1(0);
    epoll_ctl(all, EPOLL_CTL_ADD, file, &event);
    pthread_create(&thread, NULL, send, NULL);
    printf("%d,", epoll_wait(all, &event, 1, -1));
    read(file, &found, sizeof found);
    printf("%d\n", (int)found.ssi_signo);
    pthread_join(thread, NULL);
    return 0;
}
