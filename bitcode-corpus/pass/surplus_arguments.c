// Arguments too many are dropped, as machines do, with a warning: thread pools call `void task()` so.
//@ native
#include <pthread.h>
#include <stdio.h>

static int twice(int number) { return 2 * number; }

static void *volatile function = (void *)twice;

static void *work(void *unused) {
    int (*pointer)(int, int) = (int (*)(int, int))function;
    printf("%d\n", pointer(1, 2)); //~ WARNING: `twice` is called as a function of another type: 2 arguments are passed, it takes 1
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
