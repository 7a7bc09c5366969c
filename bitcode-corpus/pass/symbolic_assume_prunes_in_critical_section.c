// Executions that an assumption ends early, inside a critical section, hide what the other threads were about to do
// there: every outcome that the assumptions allow must be found all the same. Two consumers and a producer note the
// ways their branches go; MASK says which bits are assumed to be as in WANT, the moment they are noted.
//@ outcomes[sc]: 46 a6 c2 c6
//@ outcomes[tso]: 46 a6 c2 c6
//@ outcomes[pso]: 46 a6 c2 c6
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

void klee_assume(uintptr_t condition);

enum { MASK = 0x7913, WANT = 0x46, BITS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int used, producing = 1;
static unsigned noted[3], count[3];

static void note(int thread, unsigned bit) {
    unsigned place = thread * BITS + count[thread];
    noted[thread] |= bit << count[thread]++;
    if (MASK >> place & 1)
        klee_assume((WANT >> place & 1) == bit);
}

static void *consume(void *argument) {
    int thread = (int)(intptr_t)argument;
    pthread_mutex_lock(&mutex);
    for (;;) {
        int empty = used == 0 && producing;
        note(thread, empty);
        if (!empty)
            break;
        pthread_cond_wait(&not_empty, &mutex);
    }
    int available = used > 0;
    note(thread, available);
    pthread_mutex_unlock(&mutex);
    if (!available)
        return 0;
    pthread_mutex_lock(&mutex);
    note(thread, used > 0);
    if (used > 0)
        used--;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *produce(void *argument) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        used++;
        note(2, used == 2);
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    producing = 0;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, consume, (void *)0);
    pthread_create(&threads[1], 0, consume, (void *)1);
    pthread_create(&threads[2], 0, produce, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%x\n", noted[0] | noted[1] << BITS | noted[2] << 2 * BITS);
    return 0;
}
