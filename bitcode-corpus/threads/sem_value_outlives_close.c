// A named semaphore keeps its value while nobody has it open.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[32];
    int value = -1;
    snprintf(name, sizeof name, "/symx-v-%d", (int)getpid());
    sem_t *semaphore = sem_open(name, O_CREAT, 0600, 0);
    sem_post(semaphore);
    sem_close(semaphore);
    semaphore = sem_open(name, 0);
    sem_getvalue(semaphore, &value);
    sem_close(semaphore);
    sem_unlink(name);
    printf("%d\n", value);
    return 0;
}
