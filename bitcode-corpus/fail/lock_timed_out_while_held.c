// The time of a lock with a limit is up while the other thread holds the mutex, and nothing is added then. The report
// is to say that the time was up, not that the mutex was locked.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 5;
    if (pthread_mutex_timedlock(&mutex, &end) == 0) {
        count++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
