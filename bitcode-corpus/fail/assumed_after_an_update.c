// What a thread has done before its assumption fails, others find: the sum is two when the second to add is held up.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int condition);

static atomic_int sum;

static void *add(void *unused) {
    __VERIFIER_assume(atomic_fetch_add(&sum, 1) < 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, add, NULL);
    assert(sum != 2); //~ ERROR: assertion failed
    return 0;
}
