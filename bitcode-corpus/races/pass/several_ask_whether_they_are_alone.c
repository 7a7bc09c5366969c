// Threads that only ask whether there are other threads are independent of each other, and do not race.
//@ outcomes: 2
//@ flags: --check race
#include <stdio.h>
#include <sys/single_threaded.h>
#include <threads.h>

static int ask(void *result) {
    *(int *)result = !__libc_single_threaded;
    return 0;
}

int main(void) {
    int first = 0, second = 0;
    thrd_t threads[2];
    thrd_create(&threads[0], ask, &first);
    thrd_create(&threads[1], ask, &second);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    printf("%d\n", first + second);
}
