// A result that is looked at only to see whether it is an error tells no thread from another: one execution.
//@ outcomes: 2
//@ executions: 1
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int arrived[2], errors;

static void *run(void *mine) {
    int result;
    *(int *)mine = 1;
    result = pthread_barrier_wait(&barrier);
    if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD) {
        fputs("failed", stderr);
        errors++;
        pthread_exit(NULL);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int index = 0; index < 2; index++)
        pthread_create(&threads[index], NULL, run, &arrived[index]);
    for (int index = 0; index < 2; index++)
        pthread_join(threads[index], NULL);
    printf("%d\n", arrived[0] + arrived[1] - errors);
    return 0;
}
