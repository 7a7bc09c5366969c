// What another thread has stored is in the child's memory, or it is not.
//@ outcomes: 0 1
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;

static void *store(void *unused) {
    value = 1;
    return unused;
}

int main(void) {
    int status;
    pthread_t thread;
    pthread_create(&thread, 0, store, 0);
    if (fork() == 0) _exit(value);
    pthread_join(thread, 0);
    wait(&status);
    printf("%d", WEXITSTATUS(status));
    return 0;
}
