// A name of a semaphore has a longest length; none longer can be made, opened or unlinked.
//@ outcomes: 1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char name[400];
    memset(name, 'n', sizeof name);
    name[0] = '/';
    name[sizeof name - 1] = 0;
    errno = 0;
    printf("%d", sem_open(name, O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    errno = 0;
    printf(",%d", sem_open(name, 0) == SEM_FAILED && errno == EINVAL);
    errno = 0;
    printf(",%d\n", sem_unlink(name) == -1 && errno == ENOENT);
    return 0;
}
