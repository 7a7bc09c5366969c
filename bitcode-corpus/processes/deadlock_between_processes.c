// Two processes take two process-shared mutexes in opposite orders.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pthread_mutex_t *mutexes = mmap(0, 2 * sizeof *mutexes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    for (int index = 0; index < 2; index++) pthread_mutex_init(&mutexes[index], &attributes);
    pid_t child = fork();
    int first = child == 0;
    pthread_mutex_lock(&mutexes[first]);
    pthread_mutex_lock(&mutexes[!first]); //~ ERROR: deadlock
    pthread_mutex_unlock(&mutexes[!first]);
    pthread_mutex_unlock(&mutexes[first]);
    if (child == 0) _exit(0);
    wait(0);
    return 0;
}
