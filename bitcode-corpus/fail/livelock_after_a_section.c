// A thread leaves an atomic section and spins on what no other thread writes.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int volatile sum, flag;

static void *spin(void *unused) {
    __VERIFIER_atomic_begin();
    sum++;
    __VERIFIER_atomic_end();
    while (!flag) //~ ERROR: livelock
        ;
    return unused;
}

int main(void) {
    pthread_t spinner;
    pthread_create(&spinner, NULL, spin, NULL);
    pthread_join(spinner, NULL);
    return 0;
}
