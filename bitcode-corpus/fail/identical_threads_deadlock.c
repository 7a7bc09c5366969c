// Of several identical threads that hold one lock and want another, two that hold up each other are found.
//@ flags: --symmetry
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int turn;

static void *run(void *unused) {
    int mine = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % 2;
    pthread_mutex_lock(&locks[mine]);
    pthread_mutex_lock(&locks[1 - mine]); //~ ERROR: deadlock
    pthread_mutex_unlock(&locks[1 - mine]);
    pthread_mutex_unlock(&locks[mine]);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
