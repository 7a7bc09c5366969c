// A handler's update races with a store. The handler returns in the same step. Whether the call that it
// interrupted then fails or goes on is a choice.
//@ flags: --check race
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static int count;
static sem_t one;

static void handle(int number) {
    (void)number;
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); //~ ERROR: data race on `count`
}

static void *wait_for_one(void *unused) {
    sem_wait(&one);
    return unused;
}

static void *set(void *unused) {
    count = 2;
    return unused;
}

int main(void) {
    sem_init(&one, 0, 1);
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t setter, waiter;
    pthread_create(&setter, NULL, set, NULL);
    pthread_create(&waiter, NULL, wait_for_one, NULL);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(setter, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
