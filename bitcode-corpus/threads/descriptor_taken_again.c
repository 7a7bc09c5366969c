// A thread goes on using a number that another closes, and a third one takes: the lowest free number is given again.
//@ outcomes: -1 0 1
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int shared;

static void *end(void *unused) {
    (void)unused;
    close(shared);
    return NULL;
}

static void *make(void *unused) {
    (void)unused;
    open("/dev/null", O_RDONLY);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    char byte;
    shared = open("/dev/zero", O_RDONLY);
    pthread_create(&first, NULL, end, NULL);
    pthread_create(&second, NULL, make, NULL);
    printf("%d", (int)read(shared, &byte, 1));
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
