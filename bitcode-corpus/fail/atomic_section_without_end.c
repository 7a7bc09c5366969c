// A thread waits inside an atomic section for what another one would do: that one never gets its turn.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static volatile int flag;

static void *set(void *unused) {
    __VERIFIER_atomic_begin();
    flag = 1;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    __VERIFIER_atomic_begin();
    while (!flag) //~ ERROR: livelock
        continue;
    __VERIFIER_atomic_end();
    pthread_join(thread, NULL);
    return 0;
}
