// A semaphore without a name any more works for those who have it open; the name is free.
//@ outcomes: 0,0,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[32];
    snprintf(name, sizeof name, "/symx-u-%d", (int)getpid());
    sem_t *old = sem_open(name, O_CREAT, 0600, 0);
    sem_unlink(name);
    printf("%d", sem_post(old));
    printf(",%d", sem_wait(old));
    sem_t *new = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    printf(",%d\n", new != SEM_FAILED && new != old);
    sem_close(old);
    sem_close(new);
    sem_unlink(name);
    return 0;
}
