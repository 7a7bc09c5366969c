// Two threads create threads, in any order: a thread has the same number whoever comes first, so the creations commute, and
// what is left to explore is who takes the lock before whom.
//@ executions[sc]: 24
//@ outcomes: 0 1 2 3
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int served;
static int served_before_stop;

static void *serve(void *unused) {
    pthread_mutex_lock(&lock);
    served++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *accept_three(void *unused) {
    pthread_t workers[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&workers[i], NULL, serve, NULL);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(workers[i], NULL);
    }
    return unused;
}

static void *stop(void *unused) {
    pthread_mutex_lock(&lock);
    served_before_stop = served;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t acceptor, stopper;
    pthread_create(&acceptor, NULL, accept_three, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_join(acceptor, NULL);
    pthread_join(stopper, NULL);
    printf("%d\n", served_before_stop);
    return 0;
}
