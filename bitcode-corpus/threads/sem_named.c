// A named semaphore is found by its name until that is unlinked.
//@ outcomes: 1,1,1,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[32]; // Of its own natively, where several may run at a time.
    snprintf(name, sizeof name, "/symx-%d", (int)getpid());
    sem_t *first = sem_open(name, O_CREAT | O_EXCL, 0600, 1), *second;
    printf("%d", first != SEM_FAILED);
    printf(",%d", sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    second = sem_open(name, 0);
    printf(",%d", second == first);
    printf(",%d", sem_unlink(name));
    printf(",%d\n", sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    sem_close(first);
    sem_close(second);
    return 0;
}
