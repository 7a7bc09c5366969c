// Who tells how often it has looked, or does something else after some looks, has looked that often: all that can be seen
// by that is found.
//@ outcomes: 00 01 02 03 10 11 12 13
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, other_flag;
static int looks, late;

static void *count(void *unused) {
    int rounds = 0;
    while (rounds < 3 && !atomic_load(&flag)) rounds++;
    looks = rounds;
    return unused;
}

// The first look does not count.
static void *look_twice(void *unused) {
    for (int round = 0; round < 3; round++)
        if (atomic_load(&other_flag) && round > 0) {
            late = 1;
            break;
        }
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&other, NULL, look_twice, NULL);
    atomic_store(&flag, 1);
    atomic_store(&other_flag, 1);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d%d\n", late, looks);
    return 0;
}
