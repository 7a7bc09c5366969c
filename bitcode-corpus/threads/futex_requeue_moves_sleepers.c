// A sleeper moved to another word is woken there, and not here; who comes after that sleeps here, or is too late to sleep.
//@ outcomes: 1,0,1 0,1,0 0,0,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int here, there;

static void *run(void *unused) {
    syscall(SYS_futex, &here, FUTEX_WAIT, 0, NULL, NULL, 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(50000);
    printf("%ld", syscall(SYS_futex, &here, FUTEX_CMP_REQUEUE, 0, 1, &there, 0));
    __atomic_store_n(&here, 1, __ATOMIC_SEQ_CST);
    long woken = syscall(SYS_futex, &here, FUTEX_WAKE, 1, NULL, NULL, 0);
    printf(",%ld", woken);
    printf(",%ld\n", syscall(SYS_futex, &there, FUTEX_WAKE, 1, NULL, NULL, 0));
    pthread_join(thread, NULL);
    return 0;
}
