// Who gives up waiting after so many looks goes on without what it waited for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ready;
static int *shared;

static void *use(void *unused) {
    for (int round = 0; round < 100 && !atomic_load(&ready); round++) {
    }
    assert(shared && *shared == 7); //~ ERROR: assertion
    return unused;
}

int main(void) {
    pthread_t user;
    pthread_create(&user, NULL, use, NULL);
    int *it = malloc(sizeof *it);
    *it = 7;
    shared = it;
    atomic_store(&ready, 1);
    pthread_join(user, NULL);
    free(it);
    return 0;
}
