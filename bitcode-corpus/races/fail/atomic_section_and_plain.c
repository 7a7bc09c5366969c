// A thread adds to a variable in an atomic section, another one without.
//@ flags: --check race
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int sum;

static void *add(void *unused) {
    sum++; //~ ERROR: data race on `sum`
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    __VERIFIER_atomic_begin();
    sum++;
    __VERIFIER_atomic_end();
    pthread_join(thread, NULL);
    return sum != 2;
}
