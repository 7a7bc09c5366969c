// What a look has shown may matter after later looks: in a register, or in memory of the thread's own.
//@ outcomes: 00 01 02 03 10 11 12 13 20 21 22 23 30 31 32 33
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int in_register, in_memory;

static void *add_in_register(void *unused) {
    int seen = 0;
    for (int round = 0; round < 3; round++)
        if (atomic_load(&flag)) seen++;
    in_register = seen;
    return unused;
}

__attribute__((noinline)) static int look(int *seen) {
    int there = atomic_load(&flag);
    if (there) ++*seen;
    return there;
}

static void *add_in_memory(void *unused) {
    int seen = 0;
    for (int round = 0; round < 3; round++)
        if (look(&seen) > 1) break;
    in_memory = seen;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, add_in_register, NULL);
    pthread_create(&other, NULL, add_in_memory, NULL);
    atomic_store(&flag, 1);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d%d\n", in_register, in_memory);
    return 0;
}
