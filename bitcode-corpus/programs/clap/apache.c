// Listeners hand connections to workers through a queue, after Apache's bug 45605 in CLAP's Table 1.
//
//   apache [REQUESTS [LISTENERS [WORKERS [WARM]]]]
//
// The bug: a listener reserves an idle worker by one variable and puts the connection into a queue governed by another;
// the two are not changed together, so that the number of idle workers may fall below none. Nobody is as careless before WARM of a
// listener's requests.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 32, SLOTS = 8 };

static int requests = 12, listeners = 2, workers = 3, warm = 0;

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    int slots[SLOTS];
    int first, used, closed;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t idlers_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idlers_changed = PTHREAD_COND_INITIALIZER;
static int idlers;
static long served;

static int idle_workers(void) {
    pthread_mutex_lock(&idlers_mutex);
    int count = idlers;
    pthread_mutex_unlock(&idlers_mutex);
    return count;
}

// Waits for an idle worker. Whether there still is one when it is taken nobody asks, once the server is warm.
static void reserve(int is_warm) {
    int has_one = 0;
    while (!has_one) {
        while (idle_workers() == 0)
            usleep(20);
        sched_yield();
        pthread_mutex_lock(&idlers_mutex);
        has_one = is_warm || idlers > 0;
        if (has_one) {
            assert(idlers > 0);
            idlers--;
        }
        pthread_mutex_unlock(&idlers_mutex);
    }
}

static void push(int connection) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.used == SLOTS)
        pthread_cond_wait(&queue.not_full, &queue.mutex);
    queue.slots[(queue.first + queue.used++) % SLOTS] = connection;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.mutex);
}

static int pop(void) {
    pthread_mutex_lock(&idlers_mutex);
    idlers++;
    pthread_cond_signal(&idlers_changed);
    pthread_mutex_unlock(&idlers_mutex);
    pthread_mutex_lock(&queue.mutex);
    while (queue.used == 0 && !queue.closed)
        pthread_cond_wait(&queue.not_empty, &queue.mutex);
    int connection = -1;
    if (queue.used > 0) {
        connection = queue.slots[queue.first];
        queue.first = (queue.first + 1) % SLOTS;
        queue.used--;
        pthread_cond_signal(&queue.not_full);
    }
    pthread_mutex_unlock(&queue.mutex);
    return connection;
}

static void *listen_for(void *argument) {
    for (int request = 0; request < requests; request++) {
        reserve(request >= warm);
        push((int)(long)argument * requests + request);
    }
    return NULL;
}

static void *serve(void *unused) {
    (void)unused;
    long checksum = 0, mine = 0;
    for (int connection; (connection = pop()) >= 0; mine++)
        for (int i = 0; i < 40; i++)
            checksum = checksum * 33 + connection + i;
    pthread_mutex_lock(&idlers_mutex);
    served += mine;
    pthread_mutex_unlock(&idlers_mutex);
    return (void *)(checksum & 0);
}

int main(int argc, char **argv) {
    if (argc > 1)
        requests = atoi(argv[1]);
    if (argc > 2)
        listeners = atoi(argv[2]);
    if (argc > 3)
        workers = atoi(argv[3]);
    if (argc > 4)
        warm = atoi(argv[4]);
    if (requests < 1 || listeners < 1 || listeners > MOST_THREADS || workers < 1 || workers > MOST_THREADS)
        return 2;
    pthread_t listener[MOST_THREADS], worker[MOST_THREADS];
    for (int i = 0; i < workers; i++)
        pthread_create(&worker[i], NULL, serve, NULL);
    for (long i = 0; i < listeners; i++)
        pthread_create(&listener[i], NULL, listen_for, (void *)i);
    for (int i = 0; i < listeners; i++)
        pthread_join(listener[i], NULL);
    pthread_mutex_lock(&queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.mutex);
    for (int i = 0; i < workers; i++)
        pthread_join(worker[i], NULL);
    assert(served == (long)listeners * requests);
    return 0;
}
