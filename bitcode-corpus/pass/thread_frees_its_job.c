// A job of three fields goes to a thread that frees it: the end of its life touches every field, each by itself.
//@ executions: 2
//@ blocked: 0
//@ outcomes: 6

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    long base;
    int value;
    short times;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *argument) {
    struct job *job = argument;
    job->base += job->value;
    pthread_mutex_lock(&lock);
    sum += job->base * job->times;
    pthread_mutex_unlock(&lock);
    free(job);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        *job = (struct job){ i, 1, 2 };
        pthread_create(&threads[i], NULL, work, job);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
