// After MySQL 791: to begin a new file the binary log is closed and opened again. A statement that is committed
// between finds it closed and is not logged.
//@ predictor: atomicity WRW 12 19 13
//@ sketch: r:12 c:19 r:13 m:31
#include <assert.h>
#include <pthread.h>

enum log_type { LOG_CLOSED, LOG_BIN };
static volatile int log_type = LOG_BIN, entries;

static void *new_file(void *unused) {
    log_type = LOG_CLOSED;
    log_type = LOG_BIN;
    return unused;
}

static void *commit(void *unused) {
    // The check is made without the log's lock.
    if (log_type != LOG_CLOSED)
        entries++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, new_file, NULL);
    pthread_create(&threads[1], NULL, commit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    // What was committed is in the log.
    assert(entries == 1); //~ ERROR: assertion failed
    return 0;
}
