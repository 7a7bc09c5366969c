// signalfd: blocked signals are read with what was sent with them, polled and watched; another set; errors.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static sigset_t set_of(int first, int second) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    if (second)
        sigaddset(&set, second);
    return set;
}

// Prints the signals that a read gives, or the error.
static void show(int file, size_t most) {
    struct signalfd_siginfo found[4];
    memset(found, 0x55, sizeof found);
    ssize_t count = read(file, found, most * sizeof *found);
    if (count < 0)
        printf("error %d", errno);
    for (ssize_t index = 0; index < count / (ssize_t)sizeof *found; index++) {
        struct signalfd_siginfo *one = &found[index];
        int mine = one->ssi_pid == (uint32_t)getpid() && one->ssi_uid == getuid();
        printf("(%u %d %d %d %lu)", one->ssi_signo, one->ssi_code, mine, one->ssi_int, (unsigned long)one->ssi_ptr);
    }
    printf("\n");
}

int main(void) {
    sigset_t both = set_of(SIGUSR1, SIGRTMIN + 3), one = set_of(SIGUSR2, SIGKILL), old;
    sigprocmask(SIG_BLOCK, &both, NULL);
    int file = signalfd(-1, &both, SFD_NONBLOCK | SFD_CLOEXEC);
    struct pollfd polled = {file, POLLIN | POLLOUT, 0};
    show(file, 1);
    printf("%d\n", poll(&polled, 1, 0));
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf("%d ", poll(&polled, 1, -1));
    printf("%x\n", polled.revents);
    show(file, 2);
    show(file, 2);
    // Those with a value are counted; the thread's own come first.
    union sigval value = {.sival_int = 5};
    sigqueue(getpid(), SIGRTMIN + 3, value);
    value.sival_int = 6;
    sigqueue(getpid(), SIGRTMIN + 3, value);
    pthread_kill(pthread_self(), SIGUSR1);
    show(file, 2);
    sigpending(&old);
    printf("%d\n", sigismember(&old, SIGRTMIN + 3));
    show(file, 4);
    // Edges are signals that became pending.
    int all = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(all, EPOLL_CTL_ADD, file, &event);
    raise(SIGUSR1);
    printf("%d ", epoll_wait(all, &event, 1, -1));
    printf("%d ", epoll_wait(all, &event, 1, 0));
    raise(SIGUSR1);
    printf("%d\n", epoll_wait(all, &event, 1, 0));
    // One that is waited for otherwise is gone.
    int taken;
    sigwait(&both, &taken);
    printf("%d ", taken == SIGUSR1);
    show(file, 1);
    // Another set.
    sigprocmask(SIG_BLOCK, &one, NULL);
    raise(SIGUSR2);
    show(file, 1);
    printf("%d\n", signalfd(file, &one, 0) == file);
    show(file, 1);
    int ends[2];
    pipe(ends);
    char small[64] = "";
    int results[] = {
        signalfd(ends[0], &one, 0) < 0 ? errno : 0,
        signalfd(99, &one, 0) < 0 ? errno : 0,
        signalfd(-1, &one, 1) < 0 ? errno : 0,
        syscall(SYS_signalfd4, -1, &one, 4, 0) < 0 ? errno : 0,
        read(file, small, sizeof small) < 0 ? errno : 0,
        write(file, small, sizeof small) < 0 ? errno : 0,
        pread(file, small, sizeof small, 0) < 0 ? errno : 0,
        lseek(file, 0, SEEK_SET) < 0 ? errno : 0,
    };
    for (unsigned index = 0; index < sizeof results / sizeof *results; index++)
        printf("%d ", results[index]);
    printf("\n");
    return 0;
}
