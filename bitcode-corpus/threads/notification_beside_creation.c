// A directory is made in one that another thread begins to watch: it is reported or came before.
//@ outcomes[sc,tso,pso]: 0 1
//@ executions[sc]: 2
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static void *make(void *unused) {
    mkdir("/tmp/made", 0700);
    return unused;
}

int main(void) {
    char events[256] __attribute__((aligned(8)));
    pthread_t thread;
    int watcher = inotify_init1(IN_NONBLOCK);
    pthread_create(&thread, NULL, make, NULL);
    inotify_add_watch(watcher, "/tmp", IN_CREATE);
    pthread_join(thread, NULL);
    printf("%d", read(watcher, events, sizeof events) > 0);
    return 0;
}
