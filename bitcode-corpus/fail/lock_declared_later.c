// The lock that one thread lacks is declared behind its function: the name is not known there.
#include <assert.h>
#include <pthread.h>

volatile int count;

static void *without(void *unused) {
    count++;
    return unused;
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *with(void *unused) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, without, NULL);
    pthread_create(&two, NULL, with, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
