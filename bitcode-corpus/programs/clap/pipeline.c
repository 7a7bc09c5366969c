// A pipeline of a producer, consumers and a writer, of the size of pbzip2 (L) in "Concurrency Debugging with Differential
// Schedule Projections" (PLDI 2015): nine threads, some 1,150 accesses to shared memory, locks and condition variables.
//
//   pipeline [BLOCKS [CONSUMERS]]
//
// The bug, after pbzip2 0.9.4: the main thread waits for the writer but not for the consumers, and takes the queue's mutex
// away while a consumer may still be about to look for more work.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { CAPACITY = 4, MOST_BLOCKS = 4096, MOST_CONSUMERS = 16 };

static struct {
    pthread_mutex_t *mutex;
    pthread_cond_t not_empty, not_full;
    int slots[CAPACITY];
    int first, used, closed;
} queue = {.not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t ready;
    int done[MOST_BLOCKS];
} results = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static int blocks = 44, consumers = 7;

static void put(int block) {
    pthread_mutex_lock(queue.mutex);
    while (queue.used == CAPACITY)
        pthread_cond_wait(&queue.not_full, queue.mutex);
    queue.slots[(queue.first + queue.used) % CAPACITY] = block;
    queue.used++;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(queue.mutex);
}

static int get(void) {
    pthread_mutex_t *mutex = queue.mutex;
    assert(mutex != NULL);
    pthread_mutex_lock(mutex);
    while (queue.used == 0 && !queue.closed)
        pthread_cond_wait(&queue.not_empty, mutex);
    int block = -1;
    if (queue.used > 0) {
        block = queue.slots[queue.first];
        queue.first = (queue.first + 1) % CAPACITY;
        queue.used--;
        pthread_cond_signal(&queue.not_full);
    }
    pthread_mutex_unlock(mutex);
    return block;
}

static void publish(int block, int packed) {
    pthread_mutex_lock(&results.mutex);
    results.done[block] = packed;
    pthread_cond_signal(&results.ready);
    pthread_mutex_unlock(&results.mutex);
}

static void *consume(void *unused) {
    for (int block; (block = get()) >= 0;) {
        int packed = 1;
        for (int i = 0; i < 8; i++)
            packed = packed * 31 + block;
        publish(block, packed | 1);
    }
    return unused;
}

static void *write_all(void *unused) {
    for (int block = 0; block < blocks; block++) {
        pthread_mutex_lock(&results.mutex);
        while (results.done[block] == 0)
            pthread_cond_wait(&results.ready, &results.mutex);
        pthread_mutex_unlock(&results.mutex);
    }
    return unused;
}

int main(int argc, char **argv) {
    if (argc > 1)
        blocks = atoi(argv[1]);
    if (argc > 2)
        consumers = atoi(argv[2]);
    if (blocks < 1 || blocks > MOST_BLOCKS || consumers < 1 || consumers > MOST_CONSUMERS)
        return 2;
    pthread_t writer, consumer[MOST_CONSUMERS];
    queue.mutex = malloc(sizeof *queue.mutex);
    pthread_mutex_init(queue.mutex, NULL);
    pthread_create(&writer, NULL, write_all, NULL);
    for (int i = 0; i < consumers; i++)
        pthread_create(&consumer[i], NULL, consume, NULL);
    for (int block = 0; block < blocks; block++)
        put(block);
    pthread_mutex_lock(queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(queue.mutex);
    pthread_join(writer, NULL);
    // The mutex is not given back, so that who has locked it already is not harmed.
    queue.mutex = NULL;
    for (int i = 0; i < consumers; i++)
        pthread_join(consumer[i], NULL);
    return 0;
}
