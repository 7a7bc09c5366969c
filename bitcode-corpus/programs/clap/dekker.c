// Dekker's mutual exclusion without fences, from CLAP's Table 1: correct under sequential consistency, not on a machine
// with store buffers.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 4 };

static pthread_barrier_t barrier;
static atomic_int ready[2], wants[2], turn;
static int counter;

#define LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(&(to), value, memory_order_relaxed)

static void *work(void *argument) {
    int me = (int)(long)argument, you = 1 - me;
    pthread_barrier_wait(&barrier);
    STORE(ready[me], 1);
    while (!LOAD(ready[you]))
        sched_yield();
    for (int round = 0; round < ROUNDS; round++) {
        STORE(wants[me], 1);
        while (LOAD(wants[you])) {
            if (LOAD(turn) == me) continue;
            STORE(wants[me], 0);
            while (LOAD(turn) != me)
                sched_yield();
            STORE(wants[me], 1);
        }
        counter++;
        STORE(turn, you);
        STORE(wants[me], 0);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2 * ROUNDS);
    return 0;
}
