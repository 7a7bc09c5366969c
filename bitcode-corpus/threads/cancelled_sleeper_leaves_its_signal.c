// A thread that is cancelled after it was signalled consumes no signal that another sleeper could have had.
//@ outcomes: early 1
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int sleeping;

static void unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *sleeper(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    sleeping += 1;
    pthread_cond_wait(&changed, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void) {
    pthread_t asked, other;
    void *results[2];
    pthread_create(&asked, NULL, sleeper, NULL);
    pthread_create(&other, NULL, sleeper, NULL);
    pthread_mutex_lock(&mutex);
    if (sleeping < 2) {
        puts("early");
        return 0;
    }
    pthread_cond_signal(&changed);
    pthread_cancel(asked);
    pthread_mutex_unlock(&mutex);
    pthread_join(asked, &results[0]);
    if (results[0] == NULL) {
        pthread_cond_signal(&changed);
    }
    pthread_join(other, &results[1]);
    printf("%d\n", results[1] == NULL);
    return 0;
}
