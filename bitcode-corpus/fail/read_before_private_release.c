// Main's store is to memory that no other thread has touched yet. Under pso it acts as a barrier.
#include <assert.h>
#include <pthread.h>

static int shared;

static void *check(void *unused) {
    int seen = shared;
    assert(seen != 0); //~ ERROR: assertion failed: seen != 0
    return unused;
}

int main(void) {
    pthread_t checking;
    pthread_create(&checking, NULL, check, NULL);
    __atomic_store_n(&shared, 2, __ATOMIC_RELEASE);
    pthread_join(checking, NULL);
    return 0;
}
