// splice waits for bytes in the one pipe and for room in the other, which other threads make.
//@ outcomes: a1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int given[2], taken[2];
static char full[1 << 16];

static void *give(void *unused) {
    assert(write(given[1], "abc", 3) == 3);
    return unused;
}

static void *take(void *unused) {
    assert(read(taken[0], full, sizeof full) == sizeof full);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    char found;
    assert(!pipe(given) && !pipe(taken) && write(taken[1], full, sizeof full) == sizeof full);
    pthread_create(&threads[0], NULL, give, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    assert(splice(given[0], NULL, taken[1], NULL, 1, 0) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(read(taken[0], &found, 1) == 1);
    printf("%c%d\n", found, 1);
    return 0;
}
