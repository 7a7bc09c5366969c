// A wait that fails at once is a cancellation point, too: either comes first. After a request that was made before, it is
// not called.
//@ outcomes: EINVAL cancelled
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t semaphore;
static const struct timespec never_a_time = { 0, 2000000000 };

static void *wait_for_it(void *unused) {
    (void)unused;
    return sem_timedwait(&semaphore, &never_a_time) == -1 && errno == EINVAL ? "EINVAL" : "?";
}

static void *cancel_itself(void *unused) {
    pthread_cancel(pthread_self());
    sem_timedwait(&semaphore, &never_a_time);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, cancel_itself, NULL);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) return 1;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : result);
    return 0;
}
