// The length is read in one critical section and compared in a second one (jieyu's stringbuffer in small). It takes both that the
// other thread comes after the first and that it comes before the second.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count = 3;

static void *erase(void *unused) {
    pthread_mutex_lock(&mutex);
    count = 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t eraser;
    pthread_create(&eraser, NULL, erase, NULL);
    pthread_mutex_lock(&mutex);
    int length = count;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    assert(length <= count); //~ ERROR: length <= count
    pthread_mutex_unlock(&mutex);
    pthread_join(eraser, NULL);
    return 0;
}
