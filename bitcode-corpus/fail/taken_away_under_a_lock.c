// At shutdown a logger takes its buffer away under the lock, while a thread that has already looked whether it is closed goes on to
// write a line into it; the main thread would have to join that thread before it takes the lock.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct logger {
    pthread_mutex_t lock;
    char *buffer;
    size_t used, size;
    int closed;
};
static struct logger *log_;
static void log_line(const char *line) {
    if (log_->closed)
        return;
    pthread_mutex_lock(&log_->lock);
    size_t length = strlen(line);
    if (log_->used + length < log_->size) {
        memcpy(log_->buffer + log_->used, line, length); //~ ERROR: null pointer dereference
        log_->used += length;
    }
    pthread_mutex_unlock(&log_->lock);
}
static void log_shutdown(void) {
    pthread_mutex_lock(&log_->lock);
    log_->closed = 1;
    free(log_->buffer);
    log_->buffer = NULL;
    pthread_mutex_unlock(&log_->lock);
}
static void *worker(void *name) {
    log_line(name);
    log_line("done");
    return NULL;
}
int main(void) {
    pthread_t thread;
    log_ = calloc(1, sizeof *log_);
    pthread_mutex_init(&log_->lock, NULL);
    log_->buffer = malloc(64);
    log_->size = 64;
    pthread_create(&thread, NULL, worker, "worker 1");
    log_line("main");
    log_shutdown();
    pthread_join(thread, NULL);
    free(log_);
    return 0;
}
