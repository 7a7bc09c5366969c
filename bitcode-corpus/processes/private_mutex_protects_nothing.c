// A mutex in private memory is another one in each process: it orders nothing between them.
//@ outcomes: 1 2
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    volatile int *count = mmap(0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    pthread_mutex_lock(&mutex);
    ++*count;
    pthread_mutex_unlock(&mutex);
    if (child == 0) _exit(0);
    wait(0);
    printf("%d", *count);
    return 0;
}
