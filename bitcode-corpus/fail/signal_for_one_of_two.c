// Two threads wait, and one is woken. A signal before that has woken none, but it is not the last one.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *enter(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!is_open)
        pthread_cond_wait(&changed, &mutex); //~ ERROR: waits for a signal at the condition variable `changed`
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_cond_signal(&changed);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
