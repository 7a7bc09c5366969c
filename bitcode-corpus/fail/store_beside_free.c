// A thread stores into a job that another one frees; where the store comes first all is well.
//@ outcomes: ok
//@ flags: --keep-going

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int first;
    long second;
};

static void *end(void *job) {
    free(job);
    return NULL;
}

static void *use(void *argument) {
    struct job *job = argument;
    job->second = 1; //~ ERROR: use after free
    return NULL;
}

int main(void) {
    struct job *job = malloc(sizeof *job);
    *job = (struct job){ 0, 0 };
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, end, job);
    pthread_create(&threads[1], NULL, use, job);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("ok");
    return 0;
}
