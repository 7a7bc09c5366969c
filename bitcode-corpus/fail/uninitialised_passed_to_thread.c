// One thread makes an object, another one tests what nobody wrote.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int kind;
    int urgent;
};

static void *work(void *argument) {
    volatile struct job *job = argument;
    if (job->kind == 1 && job->urgent) //~ ERROR: uninitialised memory: a branch depends on byte 4
        puts("urgent");
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct job *job = malloc(sizeof *job); //~ NOTE: allocated here
    job->kind = 1;
    pthread_create(&thread, NULL, work, job);
    pthread_join(thread, NULL);
    free(job);
    return 0;
}
