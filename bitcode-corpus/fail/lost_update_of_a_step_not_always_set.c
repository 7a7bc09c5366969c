// Two additions without a lock: one may be lost. A path leaves `step` unassigned, so the variable stays in
// memory in symx, where the native program has a register. Instructions have the same numbers in both.
#include <assert.h>
#include <pthread.h>

static volatile int counter, kind = 1;

static void *add(void *unused) {
    int step;
    switch (kind) {
    case 1:
        step = 1;
        break;
    default:
        break;
    }
    counter = counter + step;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2); //~ ERROR: assertion failed
    return 0;
}
