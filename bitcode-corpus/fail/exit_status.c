// With --check exit a status other than 0 is a failure, where the program ends itself.
//@ flags: --check exit
#include <pthread.h>
#include <stdlib.h>

static int is_done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    int seen = is_done;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    if (!seen)
        exit(3); //~ ERROR: exits with status 3
    return 0;
}
