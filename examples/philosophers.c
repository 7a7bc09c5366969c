// Three dining philosophers, each of which takes the fork to its left first: a deadlock of three threads.
//
//     symx run examples/philosophers.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     lock-order-inversion: T1 dine holds `fork_at[0]` and waits for `fork_at[1]` (philosophers.c:29); T2
//       dine holds `fork_at[1]` and waits for `fork_at[2]` (:29); T3 dine holds `fork_at[2]` and waits for
//       `fork_at[0]` (:29).
//     suggested fix: acquire `fork_at[1]` and `fork_at[2]` in the same order in all threads, or hold one
//       more mutex around philosophers.c:28-29 in T2 dine. Verified: no failure in any execution.

#include <pthread.h>
#include <stddef.h>

#define SEATS 3

static pthread_mutex_t fork_at[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static int meals[SEATS];

static void *dine(void *argument) {
    int seat = *(int *)argument;
    pthread_mutex_t *left = &fork_at[seat], *right = &fork_at[(seat + 1) % SEATS];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right);
    meals[seat]++;
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
    return NULL;
}

int main(void) {
    pthread_t philosopher[SEATS];
    int seat[SEATS];
    for (int i = 0; i < SEATS; i++) {
        seat[i] = i;
        pthread_create(&philosopher[i], NULL, dine, &seat[i]);
    }
    for (int i = 0; i < SEATS; i++)
        pthread_join(philosopher[i], NULL);
    return 0;
}
