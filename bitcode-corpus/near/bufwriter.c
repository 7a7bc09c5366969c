// bufwriter (IBM's ConTest suite): one kind of writer changes the position in the buffer without the lock under which others
// write, and the checker empties the buffer.
#include <assert.h>
#include <pthread.h>

#define SIZE 8
#define WRITES 2

static struct {
    int array[SIZE];
    volatile int position, count;
    pthread_mutex_t lock;
} buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int checked, stopped;

static void *write_locked(void *value) {
    for (int written = 0; written < WRITES; written++) {
        pthread_mutex_lock(&buffer.lock);
        if (buffer.position < SIZE) {
            buffer.array[buffer.position] = *(int *)value;
            buffer.position++;
            buffer.count++;
        }
        pthread_mutex_unlock(&buffer.lock);
    }
    return value;
}

static void *write_unlocked(void *value) {
    for (int written = 0; written < WRITES; written++) {
        if (buffer.position >= SIZE)
            continue;
        buffer.array[buffer.position] = *(int *)value;
        buffer.position++;
        pthread_mutex_lock(&buffer.lock);
        buffer.count++;
        pthread_mutex_unlock(&buffer.lock);
    }
    return value;
}

static void *check(void *unused) {
    for (int round = 0; round < 3; round++) {
        pthread_mutex_lock(&buffer.lock);
        if (buffer.position > 0 && !stopped) {
            checked += buffer.position;
            buffer.position = 0;
        }
        pthread_mutex_unlock(&buffer.lock);
    }
    return unused;
}

int main(void) {
    pthread_t checker, writers[3];
    int values[3] = {1, 2, 3};
    pthread_create(&checker, NULL, check, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&writers[i], NULL, i % 2 ? write_unlocked : write_locked, &values[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(writers[i], NULL);
    pthread_mutex_lock(&buffer.lock);
    stopped = 1;
    pthread_mutex_unlock(&buffer.lock);
    pthread_join(checker, NULL);
    assert(buffer.count == checked + buffer.position); //~ ERROR: assertion failed
    return 0;
}
