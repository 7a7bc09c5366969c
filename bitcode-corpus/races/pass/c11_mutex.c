// The threads of C11: a mutex, and a function that is called once.
//@ flags: --check race
#include <threads.h>

mtx_t lock;
once_flag once = ONCE_FLAG_INIT;
int counter, table;

static void prepare(void) {
    table = 1;
}

static int add(void *unused) {
    call_once(&once, prepare);
    mtx_lock(&lock);
    counter += table;
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
    return counter - 2;
}
