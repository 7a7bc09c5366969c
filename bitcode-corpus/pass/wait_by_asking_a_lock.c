// A thread takes a lock, looks, gives it back and sleeps, until another has set a flag under the lock. The other one may find
// the lock taken, which it can tell.
//@ outcomes: free taken
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *set(void *unused) {
    int is_taken = pthread_mutex_trylock(&lock);
    if (is_taken)
        pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    puts(is_taken ? "taken" : "free");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_mutex_unlock(&lock);
        usleep(100);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
