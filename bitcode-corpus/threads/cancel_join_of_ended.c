// A join that does not wait is no cancellation point in the libraries: the thread is cancelled there or not.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdio.h>

static pthread_t inner;

static void *end(void *unused) {
    return unused;
}

static void *run(void *unused) {
    pthread_cancel(pthread_self());
    pthread_join(inner, NULL);
    return unused;
}

int main(void) {
    pthread_t outer;
    void *result = NULL;
    pthread_create(&inner, NULL, end, NULL);
    pthread_create(&outer, NULL, run, NULL);
    pthread_join(outer, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
