// A process ends while another thread of it is on its way: the thread may have stored before, or not.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int *stored;

static void *store(void *unused) {
    *stored = 1;
    return unused;
}

int main(void) {
    stored = mmap(NULL, sizeof *stored, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, store, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%d\n", *stored);
    return 0;
}
