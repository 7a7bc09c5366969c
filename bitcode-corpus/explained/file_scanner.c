// After "pfscan": workers look at the number of files left outside the lock, and take one inside.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int left = 2;
static volatile int scanned;

static void *scan(void *unused) {
    while (left > 0) {
        pthread_mutex_lock(&lock);
        left = left - 1;
        assert(left >= 0); //~ ERROR: assertion failed
        scanned = scanned + 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t workers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, scan, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
