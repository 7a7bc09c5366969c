// A thread is cancelled while it waits for another one to end, which it has asked to be cancelled itself: that one
// may still be at work when the first is gone, and what it does may come after all else.
//@ outcomes: - -b b- b1
#include <pthread.h>
#include <unistd.h>

static pthread_t waiting, working;

static void *work(void *unused) {
    (void)unused;
    write(1, "b", 1);
    return (void *)1;
}

static void *wait_for_work(void *unused) {
    void *result = unused;
    pthread_create(&working, NULL, work, NULL);
    pthread_cancel(working);
    pthread_join(working, &result);
    return result;
}

int main(void) {
    void *result;
    pthread_create(&waiting, NULL, wait_for_work, NULL);
    pthread_cancel(waiting);
    pthread_join(waiting, &result);
    write(1, result == PTHREAD_CANCELED ? "-" : result ? "1" : "0", 1);
    return 0;
}
