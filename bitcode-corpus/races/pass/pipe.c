// What goes through a pipe is ordered.
//@ flags: --check race
#include <pthread.h>
#include <unistd.h>

int ends[2];
int data, seen;

static void *one(void *unused) {
    data = 1;
    write(ends[1], "x", 1);
    return unused;
}

static void *two(void *unused) {
    char byte;
    if (read(ends[0], &byte, 1) == 1)
        seen = data;
    return unused;
}

int main(void) {
    if (pipe(ends) != 0)
        return 1;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
