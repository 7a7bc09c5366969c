// The main thread takes a mutex away and frees it, while a thread that has already looked where it is is about to lock it; a join
// before that, and it would be right.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;

static void *use(void *unused) {
    (void)unused;
    pthread_mutex_t *seen = mutex;
    if (seen != NULL) {
        pthread_mutex_lock(seen); //~ ERROR: use after free
        pthread_mutex_unlock(seen);
    }
    return NULL;
}

int main(void) {
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    pthread_mutex_t *taken = mutex;
    mutex = NULL;
    free(taken);
    return 0;
}
