// A thread that comes too early takes back what it added and tries again. As long as others only add, and never look, it
// might as well have come late: rounds are not unrolled.
//@ outcomes: 1
//@ executions: 1
//@ native
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int users = 2;

static void *enter(void *unused) {
    while (atomic_fetch_add(&users, 1) != 0) atomic_fetch_sub(&users, 1);
    return unused;
}

static void *leave(void *unused) {
    atomic_fetch_sub(&users, 2);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, enter, NULL);
    pthread_create(&other, NULL, leave, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d\n", atomic_load(&users));
    return 0;
}
