// A process that ends with a robust mutex leaves it to the next one, which learns of that.
//@ outcomes: 1,0
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pthread_mutex_t *mutex = mmap(0, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
    if (fork() == 0) {
        pthread_mutex_lock(mutex);
        _exit(0);
    }
    wait(0);
    int error = pthread_mutex_lock(mutex);
    printf("%d,", error == EOWNERDEAD);
    pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
    printf("%d", pthread_mutex_lock(mutex));
    pthread_mutex_unlock(mutex);
    return 0;
}
