// After "2stage": two values that belong together are written under two locks, one after the other.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *write_both(void *unused) {
    pthread_mutex_lock(&first_lock);
    first = 1;
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
    return unused;
}

static void *read_both(void *unused) {
    pthread_mutex_lock(&first_lock);
    int one = first;
    pthread_mutex_unlock(&first_lock);
    if (one != 0) {
        pthread_mutex_lock(&second_lock);
        assert(second == one + 1); //~ ERROR: assertion failed
        pthread_mutex_unlock(&second_lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_both, NULL);
    pthread_create(&threads[1], NULL, read_both, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
