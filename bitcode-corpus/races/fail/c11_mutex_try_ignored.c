// What mtx_trylock says is not looked at.
//@ flags: --check race
#include <threads.h>

mtx_t lock;
int counter;

static int add(void *unused) {
    int got = mtx_trylock(&lock);
    counter = 1; //~ ERROR: data race on `counter`
    if (got == thrd_success)
        mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], add, NULL);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    return counter - 1;
}
