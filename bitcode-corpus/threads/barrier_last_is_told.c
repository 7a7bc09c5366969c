// Which of three threads is the serial one shows: each of them can be.
//@ outcomes: 1 2 3
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int last;

static void *run(void *number) {
    int result = pthread_barrier_wait(&barrier);
    if (result == PTHREAD_BARRIER_SERIAL_THREAD)
        last = *(int *)number;
    else if (result != 0)
        last = -1;
    return NULL;
}

int main(void) {
    static int numbers[] = {1, 2, 3};
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int index = 0; index < 3; index++)
        pthread_create(&threads[index], NULL, run, &numbers[index]);
    for (int index = 0; index < 3; index++)
        pthread_join(threads[index], NULL);
    printf("%d\n", last);
    return 0;
}
