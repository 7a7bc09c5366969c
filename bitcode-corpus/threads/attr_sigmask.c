// So can signals to block, which the thread then does.
//@ outcomes: -1,0,0,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int blocks;

static void *run(void *unused) {
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    blocks = sigismember(&set, SIGUSR2);
    return unused;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t set, got;
    pthread_attr_init(&attributes);
    printf("%d", pthread_attr_getsigmask_np(&attributes, &got));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    printf(",%d", pthread_attr_setsigmask_np(&attributes, &set));
    printf(",%d", pthread_attr_getsigmask_np(&attributes, &got));
    printf(",%d", sigismember(&got, SIGUSR2));
    pthread_create(&thread, &attributes, run, NULL);
    pthread_join(thread, NULL);
    printf(",%d\n", blocks);
    return 0;
}
