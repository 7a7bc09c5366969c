// Operations on a set are performed in their order, all together or not at all; what the calls refuse.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int set;

static int fails(long result, int error) {
    return result == -1 && errno == error;
}

static int one(unsigned short number, short change, short flags) {
    struct sembuf operation = {number, change, flags};
    return semop(set, &operation, 1);
}

static int two(short first, short second) {
    struct sembuf operations[2] = {{0, first, IPC_NOWAIT}, {1, second, IPC_NOWAIT}};
    return semop(set, operations, 2);
}

static int value(int number) {
    return semctl(set, number, GETVAL);
}

int main(void) {
    key_t key = 0x53790000 ^ getpid();
    printf("%d", fails(semget(key, 1, 0600), ENOENT));
    printf("%d", fails(semget(key, 0, IPC_CREAT | 0600), EINVAL));
    printf("%d", fails(semget(IPC_PRIVATE, -1, 0600), EINVAL));
    set = semget(key, 2, IPC_CREAT | IPC_EXCL | 0600);
    printf("%d", fails(semget(key, 2, IPC_CREAT | IPC_EXCL | 0600), EEXIST));
    printf("%d", fails(semget(key, 3, 0), EINVAL));
    printf("%d%d\n", semget(key, 0, 0) == set, semget(key, 1, IPC_CREAT) == set);

    printf("%d%d", value(0), semctl(set, 0, GETPID));
    printf("%d", fails(one(0, -1, IPC_NOWAIT), EAGAIN));
    printf("%d", one(0, 2, 0));
    printf("%d", one(0, -1, 0));
    printf("%d%d", value(0), semctl(set, 0, GETPID) == getpid());
    printf("%d", fails(two(1, -1), EAGAIN));
    printf("%d", value(0));
    printf("%d", two(-1, 1));
    printf("%d%d", value(0), value(1));
    printf("%d", one(0, 0, 0));
    printf("%d\n", fails(one(1, 0, IPC_NOWAIT), EAGAIN));

    printf("%d", fails(one(2, 1, 0), EFBIG));
    printf("%d", fails(one(1, 32767, 0), ERANGE));
    printf("%d", one(0, 32767, SEM_UNDO));
    printf("%d", one(0, -32767, 0));
    printf("%d", fails(one(0, 2, SEM_UNDO), ERANGE));
    struct sembuf none = {0, 0, 0};
    printf("%d", fails(semop(set, &none, 0), EINVAL));
    printf("%d", fails(semop(-1, &none, 1), EINVAL));
    printf("%d\n", fails(semop(set, &none, 501), E2BIG));

    unsigned short values[2] = {7, 8};
    union semun argument = {.array = values};
    printf("%d", semctl(set, 0, SETALL, argument));
    memset(values, 0, sizeof values);
    printf("%d", semctl(set, 0, GETALL, argument));
    printf("%d%d", values[0], values[1]);
    values[1] = 32768;
    printf("%d", fails(semctl(set, 0, SETALL, argument), ERANGE));
    printf("%d", semctl(set, 1, SETVAL, 3));
    printf("%d", value(1));
    printf("%d", fails(semctl(set, 1, SETVAL, 32768), ERANGE));
    printf("%d", fails(semctl(set, 1, SETVAL, -1), ERANGE));
    printf("%d", fails(semctl(set, 2, GETVAL), EINVAL));
    printf("%d%d", semctl(set, 0, GETNCNT), semctl(set, 0, GETZCNT));
    printf("%d\n", fails(semctl(set, 0, 99), EINVAL));

    struct semid_ds status;
    argument.buf = &status;
    printf("%d", semctl(set, 0, IPC_STAT, argument));
    printf(",%lu,%o", (unsigned long)status.sem_nsems, status.sem_perm.mode);
    printf(",%d%d", status.sem_otime != 0, status.sem_ctime != 0);
    status.sem_perm.mode = 0640;
    printf(",%d", semctl(set, 0, IPC_SET, argument));
    semctl(set, 0, IPC_STAT, argument);
    printf(",%o\n", status.sem_perm.mode);

    struct timespec limit = {0, 2000000}, wrong = {0, 1000000000};
    struct sembuf take = {1, -4, 0};
    printf("%d", fails(semtimedop(set, &take, 1, &limit), EAGAIN));
    printf("%d", fails(semtimedop(set, &take, 1, &wrong), EINVAL));
    take.sem_op = -3;
    printf("%d", semtimedop(set, &take, 1, &limit));
    printf("%d", semctl(set, 0, IPC_RMID));
    printf("%d", fails(semctl(set, 0, GETVAL), EINVAL));
    printf("%d", fails(semctl(set, 0, IPC_RMID), EINVAL));
    printf("%d\n", fails(one(0, 1, 0), EINVAL));
    return 0;
}
