// A destroyed semaphore is posted.
#define _GNU_SOURCE
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sem_destroy(&semaphore);
    sem_post(&semaphore); //~ ERROR: use of a destroyed semaphore
    return 0;
}
