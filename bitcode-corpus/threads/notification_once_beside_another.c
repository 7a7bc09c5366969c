// A watch that reports once reports what comes first of two threads, whose operations concern different names.
//@ outcomes[sc,tso,pso]: a b
//@ executions[sc]: 2
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static void *make(void *name) {
    mkdir(name, 0700);
    return NULL;
}

int main(void) {
    char events[256] __attribute__((aligned(8)));
    pthread_t threads[2];
    int watcher = inotify_init1(IN_NONBLOCK);
    inotify_add_watch(watcher, "/tmp", IN_CREATE | IN_ONESHOT);
    pthread_create(&threads[0], NULL, make, "/tmp/a");
    pthread_create(&threads[1], NULL, make, "/tmp/b");
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    read(watcher, events, sizeof events);
    printf("%s", ((struct inotify_event *)(void *)events)->name);
    return 0;
}
