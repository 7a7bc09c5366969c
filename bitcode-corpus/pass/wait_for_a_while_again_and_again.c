// A thread waits for a condition variable for a while, again and again, until another has set a flag.
//@ outcomes: done
//@ native
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&condition);
    return unused;
}

int main(void) {
    pthread_t thread;
    const struct timespec until = {1, 0};
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_timedwait(&condition, &lock, &until);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
