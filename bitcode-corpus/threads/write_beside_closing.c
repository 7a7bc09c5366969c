// A thread writes to a descriptor that another one closes: what the write touches depends on which came first.
//@ outcomes: -- xw
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *close_it(void *unused) {
    close(ends[1]);
    return unused;
}

static void *write_to_it(void *unused) {
    return write(ends[1], "x", 1) == 1 ? "w" : unused;
}

int main(void) {
    pthread_t closing, writing;
    void *is_written;
    char byte = '-';
    if (pipe(ends))
        return 1;
    pthread_create(&closing, NULL, close_it, NULL);
    pthread_create(&writing, NULL, write_to_it, NULL);
    pthread_join(closing, NULL);
    pthread_join(writing, &is_written);
    read(ends[0], &byte, 1);
    write(1, &byte, 1);
    write(1, is_written ? "w" : "-", 1);
    return 0;
}
