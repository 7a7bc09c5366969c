// sendfile waits for room in a pipe, which another thread makes. Then the file's position moves.
//@ outcomes: 4
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

static int ends[2];
static char full[1 << 16];

static void *take(void *unused) {
    (void)unused;
    assert(read(ends[0], full, sizeof full) == sizeof full);
    return 0;
}

int main(void) {
    char name[] = "/tmp/symx_sendfile_XXXXXX", found[4];
    int from = mkstemp(name);
    unlink(name);
    assert(write(from, "abcd", 4) == 4 && lseek(from, 0, SEEK_SET) == 0);
    assert(!pipe(ends) && write(ends[1], full, sizeof full) == sizeof full);
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    assert(sendfile(ends[1], from, NULL, 4) == 4 && lseek(from, 0, SEEK_CUR) == 4);
    pthread_join(thread, 0);
    printf("%zd\n", read(ends[0], found, sizeof found));
    return 0;
}
