// Lazy initialisation without a lock around the check: two threads make an instance each.
//@ predictor: atomicity RWW 13 17 17
//@ sketch: a:13 b:13 a:15 a:17 b:15 b:17 m:29
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int object, made;
static int *volatile instance;

static void *use(void *unused) {
    // Only the count is protected.
    if (instance == NULL) {
        pthread_mutex_lock(&lock);
        made++;
        pthread_mutex_unlock(&lock);
        instance = &object;
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    // One is enough.
    assert(made == 1); //~ ERROR: assertion failed
    return 0;
}
