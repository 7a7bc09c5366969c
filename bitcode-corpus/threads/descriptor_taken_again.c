// A descriptor that is closed and taken again: a write of another thread goes to the first file, to none or to
// the second.
//@ outcomes: 1,0 0,0 0,1
//@ again: --reduction source-sets
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int descriptor;

static void *append(void *unused) {
    (void)unused;
    if (write(descriptor, "a", 1) < 0)
        return NULL;
    return NULL;
}

static int size(const char *path) {
    struct stat about;
    return stat(path, &about) < 0 ? -1 : (int)about.st_size;
}

int main(void) {
    pthread_t thread;
    descriptor = open("/tmp/first", O_CREAT | O_TRUNC | O_RDWR, 0600);
    pthread_create(&thread, NULL, append, NULL);
    close(descriptor);
    int again = open("/tmp/second", O_CREAT | O_TRUNC | O_RDWR, 0600);
    pthread_join(thread, NULL);
    printf("%d,%d\n", size("/tmp/first"), size("/tmp/second"));
    close(again);
    unlink("/tmp/first");
    unlink("/tmp/second");
    return 0;
}
