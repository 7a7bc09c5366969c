// glibc's pthread_cleanup_push_defer_np defers requests until the routine is popped, and then restores the type.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void nothing(void *unused) {
    (void)unused;
}

int main(void) {
    int inside = -1, after = -1, again = -1;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push_defer_np(nothing, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &inside);
    pthread_cleanup_pop_restore_np(0);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &after);
    pthread_cleanup_push_defer_np(nothing, NULL);
    pthread_cleanup_pop_restore_np(0);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &again);
    printf("%d,%d,%d\n", inside == PTHREAD_CANCEL_DEFERRED, after == PTHREAD_CANCEL_ASYNCHRONOUS,
           again == PTHREAD_CANCEL_DEFERRED);
    return 0;
}
