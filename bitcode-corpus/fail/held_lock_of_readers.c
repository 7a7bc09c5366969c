// Two threads stand in sections of readers when the process ends: one is the failure, the other a note.
//@ flags: --check held-lock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t inside, never;

static void *read_for_ever(void *unused) {
    pthread_rwlock_rdlock(&lock);
    sem_post(&inside);
    sem_wait(&never); //~ NOTE: T2 read_for_ever holds `lock` (as a reader) as well
    return unused;
}

int main(void) { //~ ERROR: T1 read_for_ever holds `lock` (as a reader) when the process ends
    pthread_t threads[2];
    sem_init(&inside, 0, 0);
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, read_for_ever, NULL);
        pthread_detach(threads[i]);
        sem_wait(&inside);
    }
    return 0;
}
