// One thread counts with the mutex held, the other without it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *careful(void *unused) {
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *careless(void *unused) {
    count = count + 1;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, careful, NULL);
    pthread_create(&other, NULL, careless, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    assert(count == 2); //~ ERROR: assertion failed: count == 2
    return 0;
}
