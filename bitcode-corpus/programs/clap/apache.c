// Listeners hand connections to workers through a queue, after Apache's bug 45605 in CLAP's Table 1.
//
// The bug: a listener reserves an idle worker by one variable and puts the connection into a queue governed by another;
// the two are not changed together, so that the number of idle workers may fall below none.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LISTENERS = 2, WORKERS = 3, REQUESTS = 12, SLOTS = 8 };

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

// Waits for an idle worker; whether there still is one when it is taken nobody asks.
static void reserve(void) {
    while (idle_workers() == 0)
        usleep(20);
    sched_yield();
    pthread_mutex_lock(&idlers_mutex);
    assert(idlers > 0);
    idlers--;
    pthread_mutex_unlock(&idlers_mutex);
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
    for (int request = 0; request < REQUESTS; request++) {
        reserve();
        push((int)(long)argument * REQUESTS + request);
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

int main(void) {
    pthread_t listeners[LISTENERS], workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, serve, NULL);
    for (long i = 0; i < LISTENERS; i++)
        pthread_create(&listeners[i], NULL, listen_for, (void *)i);
    for (int i = 0; i < LISTENERS; i++)
        pthread_join(listeners[i], NULL);
    pthread_mutex_lock(&queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.not_empty);
    pthread_mutex_unlock(&queue.mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    assert(served == LISTENERS * REQUESTS);
    return 0;
}
