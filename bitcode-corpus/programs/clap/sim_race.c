// Four threads add to two shared variables without a lock, after sim_race of CLAP's Table 1.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int x, y;

static void *add(void *argument) {
    int mine = (int)(long)argument;
    int seen = x;
    sched_yield();
    x = seen + mine;
    y += 1;
    return argument;
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(x == 1 + 2 + 3 + 4);
    return 0;
}
