// Waiting for a semaphore that nobody posts.
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_wait(&semaphore); //~ ERROR: deadlock
    return 0;
}
