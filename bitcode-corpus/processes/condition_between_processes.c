// A process-shared condition variable wakes the other process.
//@ outcomes: 1
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int ready;
};

int main(void) {
    struct shared *shared = mmap(0, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_condition;
    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &of_mutex);
    pthread_condattr_init(&of_condition);
    pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &of_condition);
    pid_t child = fork();
    pthread_mutex_lock(&shared->mutex);
    if (child == 0) {
        shared->ready = 1;
        pthread_cond_signal(&shared->changed);
        pthread_mutex_unlock(&shared->mutex);
        _exit(0);
    }
    while (!shared->ready) pthread_cond_wait(&shared->changed, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    printf("%d", shared->ready);
    wait(0);
    return 0;
}
