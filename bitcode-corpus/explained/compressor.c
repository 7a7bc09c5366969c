// After pbzip2 0.9.4: the main thread takes the queue away while a consumer is about to unlock it.
#include <pthread.h>
#include <stddef.h>

#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif

struct queue {
    pthread_mutex_t *volatile mutex;
    volatile int blocks;
    volatile int done;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct queue queue = {&mutex, BLOCKS, 0};

static void *consume(void *unused) {
    for (int i = 0; i < BLOCKS / CONSUMERS; i++) {
        pthread_mutex_lock(queue.mutex);
        queue.blocks = queue.blocks - 1;
        queue.done = queue.done + 1;
        pthread_mutex_unlock(queue.mutex); //~ ERROR: null
    }
    return unused;
}

int main(void) {
    pthread_t consumers[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
#ifdef WAITS
    while (queue.done != BLOCKS) {
    }
    queue.mutex = NULL;
#else
    if (queue.done == BLOCKS)
        queue.mutex = NULL;
#endif
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
