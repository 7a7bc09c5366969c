// Names that cannot be one, that exist, and that do not.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char own[32], longest[400];
    snprintf(own, sizeof own, "/symx-e-%d", (int)getpid());
    memset(longest, 'a', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    printf("%d", sem_open(own, 0) == SEM_FAILED && errno == ENOENT);
    printf(",%d", sem_open("/with/folder", O_CREAT, 0600, 1) == SEM_FAILED);
    printf(",%d", sem_open(longest, O_CREAT, 0600, 1) == SEM_FAILED);
    printf(",%d", sem_open(own, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED && errno == EINVAL);
    printf(",%d\n", sem_unlink(own) == -1 && errno == ENOENT);
    return 0;
}
