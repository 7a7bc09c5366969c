// A call writes memory through its argument. Another thread reads it before or after that.
//@ outcomes: 0 3
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;
static int units;

static void *ask(void *unused) {
    sem_getvalue(&semaphore, &units);
    return unused;
}

int main(void) {
    pthread_t asking;
    sem_init(&semaphore, 0, 3);
    pthread_create(&asking, NULL, ask, NULL);
    printf("%d\n", units);
    return 0;
}
