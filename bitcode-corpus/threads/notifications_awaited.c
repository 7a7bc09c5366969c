// A thread waits for what happens to a file. Two changes are one event unless it reads between them.
//@ outcomes: 1 2
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

static int watcher;

static void *count(void *changes) {
    char events[256] __attribute__((aligned(8)));
    for (int closed = 0; !closed;) {
        ssize_t length = read(watcher, events, sizeof events);
        for (ssize_t at = 0; at < length;) {
            struct inotify_event *event = (void *)(events + at);
            *(int *)changes += event->mask == IN_MODIFY;
            closed |= event->mask == IN_CLOSE_WRITE;
            at += sizeof *event + event->len;
        }
    }
    return NULL;
}

int main(void) {
    char name[40];
    int changes = 0;
    pthread_t thread;
    snprintf(name, sizeof name, "/tmp/symx_awaited-%d", getpid());
    int file = open(name, O_CREAT | O_WRONLY, 0600);
    watcher = inotify_init1(0);
    inotify_add_watch(watcher, name, IN_MODIFY | IN_CLOSE_WRITE);
    pthread_create(&thread, NULL, count, &changes);
    write(file, "a", 1);
    write(file, "b", 1);
    close(file);
    pthread_join(thread, NULL);
    printf("%d\n", changes);
    unlink(name);
    return 0;
}
