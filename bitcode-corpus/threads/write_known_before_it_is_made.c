// After the join, the last writes to `x` and `y` are open. `main` overwrites `x` before it reads `y`. Another order
// of the writes to `y` leads through the read of `x` again, when that write is known and not yet made.
//@ outcomes: 11 12 21 22
//@ executions: 4
//@ blocked: 0
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;

static void *writer(void *number) {
    atomic_store(&x, (int)(long)number);
    atomic_store(&y, (int)(long)number);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, writer, (void *)1);
    pthread_create(&second, 0, writer, (void *)2);
    pthread_join(first, 0);
    pthread_join(second, 0);
    int last_x = x;
    x = 0;
    printf("%d%d", last_x, y);
}
