// A process-shared read-write lock shows the reader all of an update or nothing.
//@ outcomes: 0 2
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_rwlock_t lock;
    int first, second;
};

int main(void) {
    struct shared *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->lock, &attributes);
    if (fork() == 0) {
        pthread_rwlock_wrlock(&shared->lock);
        shared->first++;
        shared->second++;
        pthread_rwlock_unlock(&shared->lock);
        _exit(0);
    }
    pthread_rwlock_rdlock(&shared->lock);
    int sum = shared->first + shared->second;
    pthread_rwlock_unlock(&shared->lock);
    printf("%d", sum);
    wait(0);
    return 0;
}
