// One thread looks first of all at flags that two others set, beside what these have millions of ways to do later on. A
// walk that goes depth first tries all of those before it comes back to the first look; random executions beside it see
// the failure soon.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 12 };

static atomic_int first_flag, second_flag, one = 1, other = 1;

static void *look(void *argument) {
    int first = atomic_load(&first_flag);
    int second = atomic_load(&second_flag);
    assert(!(first && !second)); //~ ERROR: assertion failed
    return argument;
}

static void *add_other(void *argument) {
    atomic_store(&first_flag, 1);
    for (int round = 0; round < ROUNDS; round++) atomic_store(&one, atomic_load(&one) + atomic_load(&other));
    return argument;
}

static void *add_one(void *argument) {
    atomic_store(&second_flag, 1);
    for (int round = 0; round < ROUNDS; round++) atomic_store(&other, atomic_load(&other) + atomic_load(&one));
    return argument;
}

int main(void) {
    pthread_t looking, first, second;
    pthread_create(&looking, 0, look, 0);
    pthread_create(&first, 0, add_other, 0);
    pthread_create(&second, 0, add_one, 0);
    pthread_join(looking, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
