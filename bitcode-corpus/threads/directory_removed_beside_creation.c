// A directory is removed beside a file that is made in it, and one of the two comes too late.
//@ outcomes: made removed
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *make(void *unused) {
    (void)unused;
    return (void *)(long)open("/tmp/d/file", O_CREAT | O_WRONLY, 0600);
}

int main(void) {
    pthread_t thread;
    void *made;
    mkdir("/tmp/d", 0700);
    pthread_create(&thread, NULL, make, NULL);
    int removed = rmdir("/tmp/d");
    pthread_join(thread, &made);
    if ((removed == 0) == ((int)(long)made >= 0)) return 1;
    printf(removed == 0 ? "removed" : "made");
    return 0;
}
