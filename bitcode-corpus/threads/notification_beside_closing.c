// A file is closed beside a thread that begins to watch its directory: that is reported or came before.
//@ outcomes[sc,tso,pso]: 0 1
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

static int file;

static void *end(void *unused) {
    close(file);
    return unused;
}

int main(void) {
    char events[256] __attribute__((aligned(8)));
    pthread_t thread;
    file = open("/tmp/closed", O_CREAT | O_WRONLY, 0600);
    pthread_create(&thread, NULL, end, NULL);
    int watcher = inotify_init1(IN_NONBLOCK);
    inotify_add_watch(watcher, "/tmp", IN_CLOSE);
    pthread_join(thread, NULL);
    printf("%d", read(watcher, events, sizeof events) > 0);
    return 0;
}
