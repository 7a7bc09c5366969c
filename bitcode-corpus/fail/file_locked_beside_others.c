// Locks of open files beside another thread are refused by name.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int count;

static void *add(void *unused) {
    (void)unused;
    int file = open("/tmp/lock", O_CREAT | O_RDWR, 0600);
    flock(file, LOCK_EX); //~ ERROR: unsupported (a lock of an open file beside others)
    int before = count;
    count = before + 1;
    flock(file, LOCK_UN);
    close(file);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    printf("%d\n", count);
    return 0;
}
