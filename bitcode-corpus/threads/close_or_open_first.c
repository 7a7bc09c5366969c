// A number is closed beside the call that makes it: too early it stands for nothing.
//@ outcomes: -1 0
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make(void *unused) {
    (void)unused;
    return (void *)(long)open("/dev/null", O_RDONLY);
}

static void *end(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return (void *)(long)close(3);
}

int main(void) {
    pthread_t first, second;
    void *made, *closed;
    pthread_create(&first, NULL, make, NULL);
    pthread_create(&second, NULL, end, NULL);
    pthread_join(first, &made);
    pthread_join(second, &closed);
    if ((int)(long)made == 3) printf("%d", (int)(long)closed);
    return 0;
}
