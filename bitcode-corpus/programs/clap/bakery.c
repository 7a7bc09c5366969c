// Lamport's bakery without fences, from CLAP's Table 1: correct under sequential consistency, not on a machine with
// store buffers.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 2, ROUNDS = 10 };

static pthread_barrier_t barrier;
static atomic_int ready, choosing[THREADS], number[THREADS];
static int counter;

#define LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(&(to), value, memory_order_relaxed)

static void *work(void *argument) {
    int me = (int)(long)argument;
    pthread_barrier_wait(&barrier);
    atomic_fetch_add(&ready, 1);
    while (LOAD(ready) < THREADS)
        sched_yield();
    for (int round = 0; round < ROUNDS; round++) {
        int highest = 0;
        STORE(choosing[me], 1);
        for (int other = 0; other < THREADS; other++) {
            int theirs = LOAD(number[other]);
            if (theirs > highest) highest = theirs;
        }
        STORE(number[me], highest + 1);
        STORE(choosing[me], 0);
        for (int other = 0; other < THREADS; other++) {
            while (LOAD(choosing[other]))
                sched_yield();
            for (;;) {
                int theirs = LOAD(number[other]);
                if (theirs == 0 || theirs > highest + 1 || (theirs == highest + 1 && other >= me)) break;
                sched_yield();
            }
        }
        counter++;
        STORE(number[me], 0);
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS * ROUNDS);
    return 0;
}
