// A thread tries a mutex again and again, and the one that holds it waits for that thread.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *try(void *unused) {
    while (pthread_mutex_trylock(&mutex)) { //~ ERROR: livelock: T1 try spins forever
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, try, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
