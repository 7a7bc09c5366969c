// Threads without end, of which none is waited for.
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static void *waits(void *unused) {
    sem_wait(&never);
    return unused;
}
int main(void) {
    sem_init(&never, 0, 0);
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, waits, NULL) != 0) return 0;
    }
}
