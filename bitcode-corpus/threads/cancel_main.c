// The main thread may be cancelled: the others go on, and the process ends with the last of them.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_t main_thread;

static void *run(void *unused) {
    void *result;
    pthread_join(main_thread, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return unused;
}

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return 1;
}
