// sem_trywait takes while the value is positive and then fails with EAGAIN.
//@ native
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t semaphore;
    int value;
    sem_init(&semaphore, 0, 2);
    sem_getvalue(&semaphore, &value);
    printf("%d\n", value);
    for (int i = 0; i < 3; i++) {
        int result = sem_trywait(&semaphore);
        printf("%d %d\n", result, result == -1 && errno == EAGAIN);
    }
    sem_post(&semaphore);
    sem_getvalue(&semaphore, &value);
    printf("%d\n", value);
    sem_destroy(&semaphore);
    return 0;
}
