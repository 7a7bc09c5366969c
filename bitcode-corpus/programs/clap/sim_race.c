// Four threads change two shared variables without a lock, after sim_race of CLAP's Table 1.
//
// The bug: the result depends on the order in which the threads come.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int x, y;

static void *add(void *argument) {
    int mine = (int)(long)argument;
    sched_yield();
    x = x * 2 + mine;
    y += 1;
    return argument;
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(x == ((1 * 2 + 2) * 2 + 3) * 2 + 4);
    return 0;
}
