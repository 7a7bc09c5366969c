// Two readers who both want to write, each waiting for the other to stop reading.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both_read;

static void *upgrade(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both_read);
    pthread_rwlock_wrlock(&lock); //~ ERROR: deadlock
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&both_read, NULL, 2);
    for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, upgrade, NULL);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    return 0;
}
