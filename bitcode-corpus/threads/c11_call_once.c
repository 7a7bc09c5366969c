// call_once runs the routine once, whoever comes first.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int runs;

static void initialise(void) {
    runs++;
}

static int run(void *unused) {
    (void)unused;
    call_once(&flag, initialise);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    for (int number = 0; number < 2; number++)
        thrd_create(&threads[number], run, NULL);
    for (int number = 0; number < 2; number++)
        thrd_join(threads[number], NULL);
    printf("%d\n", runs);
    return 0;
}
