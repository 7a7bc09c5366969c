// What is in a segment stays while nothing is attached; one that is removed goes with its last attachment.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

static int fails(long result, int error) {
    return result == -1 && errno == error;
}

int main(void) {
    key_t key = 0x53790000 ^ getpid();
    struct shmid_ds status;
    printf("%d", fails(shmget(key, 10, 0600), ENOENT));
    printf("%d", fails(shmget(IPC_PRIVATE, 0, 0600), EINVAL));
    printf("%d", fails(shmget(IPC_PRIVATE, -1, 0600), EINVAL));
    int segment = shmget(key, 10, IPC_CREAT | IPC_EXCL | 0600);
    printf("%d", fails(shmget(key, 10, IPC_CREAT | IPC_EXCL | 0600), EEXIST));
    printf("%d", fails(shmget(key, 11, 0), EINVAL));
    printf("%d%d\n", shmget(key, 0, 0) == segment, shmget(key, 10, IPC_CREAT) == segment);

    char *one = shmat(segment, NULL, 0);
    char *other = shmat(segment, NULL, 0);
    printf("%d", one[9]);
    strcpy(one, "shared");
    printf("%s", other);
    printf(",%d", shmctl(segment, IPC_STAT, &status));
    printf(",%lu,%lu,%o", (unsigned long)status.shm_segsz, (unsigned long)status.shm_nattch, status.shm_perm.mode);
    printf(",%d%d", status.shm_cpid == getpid(), status.shm_lpid == getpid());
    printf("%d%d%d\n", status.shm_atime != 0, status.shm_dtime != 0, status.shm_ctime != 0);

    printf("%d%d", shmdt(one), shmdt(other));
    printf("%d", fails(shmdt(&key), EINVAL));
    shmctl(segment, IPC_STAT, &status);
    printf("%lu%d", (unsigned long)status.shm_nattch, status.shm_dtime != 0);
    one = shmat(segment, NULL, 0);
    printf("%s", one);
    status.shm_perm.mode = 0640;
    printf("%d", shmctl(segment, IPC_SET, &status));
    printf("%d", fails((long)shmat(segment, one + 1, 0), EINVAL));
    printf("%d", fails((long)shmat(segment, NULL, SHM_REMAP), EINVAL));
    printf("%d\n", fails((long)shmat(-1, NULL, 0), EINVAL));

    printf("%d", shmctl(segment, IPC_RMID, NULL));
    printf("%d", fails(shmget(key, 10, 0600), ENOENT));
    shmctl(segment, IPC_STAT, &status);
    printf("%o", status.shm_perm.mode);
    other = shmat(segment, NULL, 0);
    printf("%s", other);
    shmdt(other);
    shmdt(one);
    printf("%d", fails((long)shmat(segment, NULL, 0), EINVAL));
    printf("%d\n", fails(shmctl(segment, 99, &status), EINVAL));
    return 0;
}
