// How many names an open file has is asked for beside another thread that takes its only one away.
//@ outcomes[sc,tso,pso]: 0 1
//@ executions[sc]: 2
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *take_away(void *unused) {
    (void)unused;
    unlink("/tmp/counted");
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct stat known;
    int file = open("/tmp/counted", O_CREAT | O_RDWR, 0600);
    pthread_create(&thread, NULL, take_away, NULL);
    fstat(file, &known);
    pthread_join(thread, NULL);
    printf("%d", (int)known.st_nlink);
    return 0;
}
