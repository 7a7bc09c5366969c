// A thread waits for a semaphore and is cancelled once another one is through with it: it might have come first, and
// then the other one's wait ends by time.
//@ outcomes: s- sw t- tw
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;

static void *wait_for_a_while(void *unused) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    return sem_timedwait(&semaphore, &limit) ? "t" : "s";
}

static void *wait_without_limit(void *unused) {
    sem_wait(&semaphore);
    return unused;
}

int main(void) {
    pthread_t limited, cancelled;
    void *result;
    sem_init(&semaphore, 0, 1);
    pthread_create(&limited, NULL, wait_for_a_while, NULL);
    pthread_create(&cancelled, NULL, wait_without_limit, NULL);
    int is_busy = pthread_tryjoin_np(limited, &result) == EBUSY;
    if (is_busy)
        pthread_join(limited, &result);
    pthread_cancel(cancelled);
    write(1, result, 1);
    write(1, is_busy ? "w" : "-", 1);
    return 0;
}
