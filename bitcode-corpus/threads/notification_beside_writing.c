// A file is written to through a descriptor while another thread begins to watch its directory, and ends that.
//@ outcomes[sc,tso,pso]: ignored modified,ignored
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

static int file;

static void *put(void *unused) {
    write(file, "x", 1);
    return unused;
}

int main(void) {
    char events[256] __attribute__((aligned(8)));
    pthread_t thread;
    file = open("/tmp/written", O_CREAT | O_WRONLY, 0600);
    int watcher = inotify_init1(IN_NONBLOCK);
    pthread_create(&thread, NULL, put, NULL);
    int watch = inotify_add_watch(watcher, "/tmp", IN_MODIFY);
    inotify_rm_watch(watcher, watch);
    pthread_join(thread, NULL);
    ssize_t length = read(watcher, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        struct inotify_event *event = (void *)(events + at);
        printf("%s%s", at ? "," : "", event->mask == IN_MODIFY ? "modified" : "ignored");
        at += sizeof *event + event->len;
    }
    return 0;
}
