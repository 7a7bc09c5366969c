// Whom a lock prefers is one of three.
//@ outcomes: 0,1,0,2,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_rwlockattr_t attributes;
    int kind;
    pthread_rwlockattr_init(&attributes);
    printf("%d", pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    pthread_rwlockattr_getkind_np(&attributes, &kind);
    printf(",%d", kind);
    printf(",%d", pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
    pthread_rwlockattr_getkind_np(&attributes, &kind);
    printf(",%d", kind);
    printf(",%d\n", pthread_rwlockattr_setkind_np(&attributes, 9) == EINVAL);
    return 0;
}
