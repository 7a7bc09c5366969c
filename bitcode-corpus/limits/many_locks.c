// Locks without end, each taken while the others are held.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused) {
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    for (;;) {
        pthread_mutex_t *lock = malloc(sizeof *lock);
        pthread_mutex_init(lock, NULL);
        pthread_mutex_lock(lock);
    }
}
