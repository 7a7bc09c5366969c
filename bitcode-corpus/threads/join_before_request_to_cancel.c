// A thread that joins another may have done so before the request to cancel it comes: then it ends as it would without.
//@ outcomes: C J
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdio.h>

static void *nothing(void *unused) {
    return unused;
}

static void *create_and_join(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, create_and_join, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s\n", result == PTHREAD_CANCELED ? "C" : "J");
    return 0;
}
