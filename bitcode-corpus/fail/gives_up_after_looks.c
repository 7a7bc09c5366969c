// Who gives up waiting after so many looks goes on without what it waited for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int value = 7;
static int *_Atomic shared;

static void *use(void *unused) {
    for (int round = 0; round < 100 && !atomic_load(&ready); round++) {
    }
    assert(atomic_load(&shared)); //~ ERROR: assertion
    return unused;
}

int main(void) {
    pthread_t user;
    pthread_create(&user, NULL, use, NULL);
    atomic_store(&shared, &value);
    atomic_store(&ready, 1);
    pthread_join(user, NULL);
    return 0;
}
