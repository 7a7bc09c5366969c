// A cancellation request may come between the check for it and the operation: sem_wait then takes the semaphore.
//@ outcomes: cancelled/1 taken/0 taken/1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;

static void *waiter(void *unused) {
    (void)unused;
    sem_wait(&semaphore);
    return "taken";
}

int main(void) {
    pthread_t thread;
    void *result;
    int left;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_cancel(thread);
    sem_getvalue(&semaphore, &left);
    pthread_join(thread, &result);
    printf("%s/%d\n", result == PTHREAD_CANCELED ? "cancelled" : (char *)result, left);
    return 0;
}
