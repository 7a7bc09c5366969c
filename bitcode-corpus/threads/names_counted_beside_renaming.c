// A file is renamed to another's name, which that loses; and to a second name of its own, which changes nothing.
//@ outcomes[sc,tso,pso]: 11 10
//@ executions[sc]: 2
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void *rename_over(void *unused) {
    (void)unused;
    rename("/tmp/new", "/tmp/old");
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct stat twice, once;
    int fresh = open("/tmp/new", O_CREAT | O_RDWR, 0600), old = open("/tmp/old", O_CREAT | O_RDWR, 0600);
    if (link("/tmp/new", "/tmp/same") != 0 || rename("/tmp/new", "/tmp/same") != 0) abort();
    if (fstat(fresh, &twice) != 0 || twice.st_nlink != 2 || unlink("/tmp/same") != 0) abort();
    pthread_create(&thread, NULL, rename_over, NULL);
    fstat(old, &once);
    pthread_join(thread, NULL);
    fstat(fresh, &twice);
    printf("%d%d", (int)twice.st_nlink, (int)once.st_nlink);
    unlink("/tmp/old");
    return 0;
}
