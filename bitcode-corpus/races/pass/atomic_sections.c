// Two threads add to a plain variable, each in an atomic section.
//@ flags: --check race
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int sum;

static void *add(void *unused) {
    __VERIFIER_atomic_begin();
    sum++;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, add, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    return sum != 2;
}
