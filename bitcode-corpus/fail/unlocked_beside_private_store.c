// `check` fails after a store that under tso and pso is a step of reads-from exploration, but of no replay.
// The unlock fails without it, and is reported in an execution in which `check` has not begun.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int own;

static void *check(void *unused) {
    __atomic_store_n(&own, 3, __ATOMIC_SEQ_CST);
    assert(unused != NULL); //~ ERROR: assertion failed: unused != NULL
    return unused;
}

static void *unlock(void *unused) {
    pthread_mutex_unlock(&mutex); //~ ERROR: unlock by a thread that does not own the mutex
    return unused;
}

int main(void) {
    pthread_t unlocking, checking;
    pthread_create(&unlocking, NULL, unlock, NULL);
    pthread_create(&checking, NULL, check, NULL);
    pthread_join(unlocking, NULL);
    pthread_join(checking, NULL);
    return 0;
}
