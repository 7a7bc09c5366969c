// A thread takes a lock again and again to see whether a flag is set that nobody ever sets.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, looks;

static void *count(void *unused) {
    pthread_mutex_lock(&lock);
    looks += ready;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_mutex_unlock(&lock); //~ ERROR: livelock: T0 main spins forever
        sched_yield();
        pthread_mutex_lock(&lock); //~ NOTE: calls pthread_mutex_lock here
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
