// A named semaphore that its owner may not write cannot be opened again, unless one is root.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/symx-eacces-%d", (int)getpid());
    sem_t *made = sem_open(name, O_CREAT, 0444, 1);
    sem_t *again = sem_open(name, O_CREAT, 0444, 1);
    printf("%d\n", made != SEM_FAILED && (geteuid() == 0 || again == SEM_FAILED && errno == EACCES));
    sem_unlink(name);
    return 0;
}
