// A loop that waits for the value an input asks for, which nobody writes if it is 3.
#include <klee/klee.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static int wanted;

static void *wait(void *unused) {
    while (atomic_load(&turn) < wanted) { //~ ERROR: livelock: T1 wait spins forever
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    klee_make_symbolic(&wanted, sizeof wanted, "wanted");
    klee_assume(wanted <= 3);
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&turn, 1);
    atomic_store(&turn, 2);
    pthread_join(thread, NULL);
    return 0;
}
