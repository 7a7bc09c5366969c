// After pbzip2: the main thread takes the queue's mutex away while a consumer may still unlock it (Kasikci,
// figure 6).
//@ predictor: order WR 26 16
//@ sketch: m:24 m:25 m:26 c:16
#include <pthread.h>
#include <stdlib.h>

struct queue { pthread_mutex_t *mut; };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *cons(void *argument) {
    struct queue *f = argument;
    pthread_mutex_t *mut = &mutex;
    pthread_mutex_lock(mut);
    // The block is compressed here.
    pthread_mutex_unlock(f->mut); //~ ERROR: null
    return NULL;
}

static struct queue queue;

int main(void) {
    pthread_t consumer;
    queue.mut = &mutex;
    pthread_create(&consumer, NULL, cons, &queue);
    queue.mut = NULL;
    pthread_join(consumer, NULL);
    return 0;
}
