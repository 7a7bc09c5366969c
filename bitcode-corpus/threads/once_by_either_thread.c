// Which thread runs the routine is open, also when another one calls again before it has noticed.
//@ outcomes: 10 21
//@ again: --reduction source-sets

#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int me;
static int runner, others;

static void routine(void) {
    runner = me;
}

static void *call_twice(void *argument) {
    me = 1;
    pthread_once(&once, routine);
    pthread_once(&once, routine);
    return argument;
}

static void *call(void *argument) {
    me = 2;
    pthread_once(&once, routine);
    others = runner == 2;
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, call, 0);
    pthread_create(&other, 0, call_twice, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d%d\n", runner, others);
    return 0;
}
