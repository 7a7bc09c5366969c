// Signals within the process: handlers, masks, pending ones, information, sigsuspend, dispositions.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen, last, code;
static sigjmp_buf back;

static void handle(int number) { seen++, last = number; }
static void inform(int number, siginfo_t *information, void *context) {
    last = number, code = information->si_signo;
    (void)context;
}
static void leave(int number) { siglongjmp(back, number); }

int main(void) {
    signal(SIGUSR1, handle);
    printf("%d %d %d\n", raise(SIGUSR1), seen, last);
    struct sigaction action = {.sa_sigaction = inform, .sa_flags = SA_SIGINFO}, old;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGTERM);
    printf("%d\n", sigaction(SIGUSR2, &action, &old));
    kill(getpid(), SIGUSR2);
    printf("%d %d %d\n", last, code, old.sa_handler == SIG_DFL);
    sigaction(SIGUSR2, NULL, &old);
    printf("%d %d\n", old.sa_sigaction == inform, sigismember(&old.sa_mask, SIGTERM));
    sigset_t set, before, waiting;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &before);
    raise(SIGUSR1);
    sigpending(&waiting);
    printf("%d %d\n", seen, sigismember(&waiting, SIGUSR1));
    sigprocmask(SIG_SETMASK, &before, NULL);
    printf("%d\n", seen);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    printf("%d %d\n", sigsuspend(&before), errno == EINTR);
    raise(SIGUSR1);
    int number;
    printf("%d %d %d\n", sigwait(&set, &number), number == SIGUSR1, seen);
    signal(SIGINT, SIG_IGN);
    raise(SIGINT);
    printf("%d\n", signal(SIGINT, SIG_DFL) == SIG_IGN);
    signal(SIGTERM, leave);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGTERM);
    else
        printf("back\n");
    sigprocmask(SIG_SETMASK, NULL, &waiting);
    printf("%d %d\n", sigismember(&waiting, SIGTERM), sigaction(SIGKILL, &action, NULL));
    printf("%u\n", alarm(0));
    return 0;
}
