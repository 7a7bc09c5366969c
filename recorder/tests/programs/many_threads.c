/* Some thousand threads that are all there at once. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started, may_end;

static void *thread(void *unused) {
    pthread_mutex_lock(&mutex);
    started++;
    pthread_cond_broadcast(&changed);
    while (!may_end) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 4000;
    pthread_t *handles = malloc((unsigned long)threads * sizeof *handles);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&handles[i], &attributes, thread, NULL) != 0) return 3;
    pthread_mutex_lock(&mutex);
    while (started < threads) pthread_cond_wait(&changed, &mutex);
    may_end = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
    free(handles);
    return 0;
}
