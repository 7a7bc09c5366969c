// After HawkNL 1.6b3: closing a socket takes the socket's lock and then, in the driver, that of the list of
// sockets. Shutting down takes the list's lock and then those of the sockets that are left.
//@ predictor: interleaved 19 28 12 30
//@ sketch: c:19 c:20 c:21 s:28 s:29 s:30 c:12
#include <pthread.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t socket_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sockets = 1, in_use = 1;

static void driver_close(void) {
    pthread_mutex_lock(&list_lock); //~ ERROR: deadlock
    sockets--;
    pthread_mutex_unlock(&list_lock);
}

static void *nl_close(void *unused) {
    // The driver takes a lock of its own meanwhile.
    pthread_mutex_lock(&socket_lock);
    if (in_use) {
        driver_close();
        in_use = 0;
    }
    pthread_mutex_unlock(&socket_lock);
    return unused;
}
static void *nl_shutdown(void *unused) {
    pthread_mutex_lock(&list_lock);
    if (sockets > 0) {
        pthread_mutex_lock(&socket_lock);
        in_use = 0;
        pthread_mutex_unlock(&socket_lock);
    }
    pthread_mutex_unlock(&list_lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, nl_close, NULL);
    pthread_create(&threads[1], NULL, nl_shutdown, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
