// A thread asks in one atomic section after another for a flag that nobody sets if another thread came too early.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int flag, other;

static void *set(void *unused) {
    __VERIFIER_atomic_begin();
    if (other)
        flag = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *ask(void *unused) {
    for (int is_set = 0; !is_set;) {
        __VERIFIER_atomic_begin();
        is_set = flag; //~ ERROR: livelock: T2 ask spins forever
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    __VERIFIER_atomic_begin();
    other = 1;
    __VERIFIER_atomic_end();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
