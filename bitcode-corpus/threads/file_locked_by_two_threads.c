// Two threads add under a lock of a file that each has opened itself. With one open file for both, the lock would keep
// neither out.
//@ outcomes: 2
//@ again: --check race
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int count;

static void *add(void *unused) {
    int file = open("/tmp/symx-locked", O_RDWR | O_CREAT, 0600);
    flock(file, LOCK_EX);
    count++;
    // It is given back with the last descriptor.
    close(file);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int index = 0; index < 2; index++)
        pthread_create(&threads[index], NULL, add, NULL);
    for (int index = 0; index < 2; index++)
        pthread_join(threads[index], NULL);
    write(1, count == 2 ? "2" : "1", 1);
    unlink("/tmp/symx-locked");
    return 0;
}
