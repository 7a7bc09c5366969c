// Opening a semaphore that exists with O_CREAT leaves its value alone.
//@ outcomes: 2,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[32];
    int value;
    snprintf(name, sizeof name, "/symx-k-%d", (int)getpid());
    sem_t *first = sem_open(name, O_CREAT, 0600, 2);
    sem_t *second = sem_open(name, O_CREAT, 0600, 7);
    sem_getvalue(second, &value);
    printf("%d,%d\n", value, first == second);
    sem_close(first);
    sem_close(second);
    sem_unlink(name);
    return 0;
}
