// While clean-up handlers run, further cancellation points in them do nothing.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int ran;

static void clean_up(void *unused) {
    (void)unused;
    pthread_testcancel();
    ran = 1;
}

static void *run(void *unused) {
    pthread_cleanup_push(clean_up, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    printf("%d,%d\n", result == PTHREAD_CANCELED, ran);
    return 0;
}
