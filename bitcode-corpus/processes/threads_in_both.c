// Each process has threads of its own; they end with it.
//@ outcomes: 3,1
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int value = 1;

static void *add(void *unused) {
    value += 2;
    return unused;
}

int main(void) {
    int status;
    pthread_t thread;
    if (fork() == 0) {
        pthread_create(&thread, 0, add, 0);
        pthread_join(thread, 0);
        _exit(value);
    }
    wait(&status);
    printf("%d,%d", WEXITSTATUS(status), value);
    return 0;
}
