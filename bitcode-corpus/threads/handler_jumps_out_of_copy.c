// A copy of shared memory takes several steps. A handler may jump out between two of them: the next copy of
// the same call begins at its first word.
//@ outcomes: 0123 1456
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

struct words {
    long first, second, third;
};

static struct words one = {1, 2, 3}, other = {4, 5, 6};
static sigjmp_buf point;
static pthread_t first;

static void leave(int signal) {
    (void)signal;
    siglongjmp(point, 1);
}

static void *send(void *unused) {
    one.second = 2;
    other.second = 5;
    pthread_kill(first, SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct words copy;
    sigset_t set;
    first = pthread_self();
    signal(SIGUSR1, leave);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int has_jumped = sigsetjmp(point, 1);
    if (has_jumped == 0) {
        pthread_create(&thread, NULL, send, NULL);
        copy = one;
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    } else {
        copy = other;
    }
    printf("%d%ld%ld%ld\n", has_jumped, copy.first, copy.second, copy.third);
    return 0;
}
