// A thread that looks at a flag at most so often, and then goes on without it: how many looks there were is no matter, and
// they are not unrolled.
//@ outcomes: 0 1
//@ executions: 2
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int seen;

static void *look(void *unused) {
    for (int round = 0; round < 50; round++) {
        if (atomic_load(&flag)) {
            seen = 1;
            break;
        }
        if (round >= 40) sched_yield();
    }
    return unused;
}

static void *raise(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&other, NULL, raise, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d\n", seen);
    return 0;
}
