// A call that is to wake no sleeper wakes one, as Linux does: it looks at the count afterwards. Requeuing wakes none.
//@ outcomes: 00 01 10
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word, other;

static void *sleep_once(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return unused;
}

int main(void) {
    pthread_t sleeper;
    pthread_create(&sleeper, NULL, sleep_once, NULL);
    syscall(SYS_futex, &word, FUTEX_REQUEUE, 0, 0, &other, 0);
    long woken = syscall(SYS_futex, &word, FUTEX_WAKE, 0, NULL, NULL, 0);
    write(1, woken ? "1" : "0", 1);
    int change = FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0);
    woken = syscall(SYS_futex, &word, FUTEX_WAKE_OP, 0, 0, &word, change);
    write(1, woken ? "1" : "0", 1);
    // The sleeper comes after the word has changed, or is awake.
    pthread_join(sleeper, NULL);
    return 0;
}
