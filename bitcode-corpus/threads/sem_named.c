// A named semaphore is found by its name until that is unlinked.
//@ outcomes: 1,1,1,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t *first = sem_open("/symx-named", O_CREAT | O_EXCL, 0600, 1), *second;
    printf("%d", first != SEM_FAILED);
    printf(",%d", sem_open("/symx-named", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    second = sem_open("/symx-named", 0);
    printf(",%d", second == first);
    printf(",%d", sem_unlink("/symx-named"));
    printf(",%d\n", sem_open("/symx-named", 0) == SEM_FAILED && errno == ENOENT);
    sem_close(first);
    sem_close(second);
    return 0;
}
