// Only the thread that forks is in the child.
//@ outcomes: 5
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int status;

static void *work(void *unused) {
    if (fork() == 0) _exit(5);
    wait(&status);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    printf("%d", WEXITSTATUS(status));
    return 0;
}
