// The thread fails behind an update of memory of its own, which is a barrier: what it posted before is there for others, whether the
// barrier is a step or not.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static int own, never;
static sem_t semaphore;

static void *run(void *unused) {
    int expected = 0;
    sem_post(&semaphore);
    own = 1;
    __atomic_compare_exchange_n(&own, &expected, 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    assert(never != 0); //~ ERROR: assertion failed
    return unused;
}

static void *look(void *unused) {
    (void)*(volatile int *)&never;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&semaphore, 0, 1);
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    return own;
}
