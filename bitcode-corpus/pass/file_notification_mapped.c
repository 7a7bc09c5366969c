// A private mapping keeps the file open that it was made from: what watches the file is notified of its being closed
// when neither a descriptor nor a mapping is left.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int watcher;

// The events so far: watch, mask, name.
static void show(const char *what) {
    char events[4096] __attribute__((aligned(8)));
    ssize_t length = read(watcher, events, sizeof events);
    printf("%s:", what);
    if (length < 0) printf(" %d", errno == EAGAIN ? 0 : errno);
    for (ssize_t at = 0; at < length;) {
        struct inotify_event *event = (void *)(events + at);
        printf(" %d,%x,%s", event->wd, event->mask, event->len ? event->name : "");
        at += sizeof *event + event->len;
    }
    printf("\n");
}

static void *map(int file) { return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0); }

int main(void) {
    char place[64];
    snprintf(place, sizeof place, "/tmp/symx_mapped-%d", getpid());
    mkdir(place, 0700);
    chdir(place);
    int file = open("a", O_CREAT | O_RDWR, 0600);
    write(file, "text", 4);
    char *one = map(file), *other = map(file);
    watcher = inotify_init1(IN_NONBLOCK);
    printf("%d\n", inotify_add_watch(watcher, ".", IN_ALL_EVENTS));
    close(file);
    show("close");
    munmap(one, 4096);
    show("unmap");
    printf("%c\n", other[3]);
    munmap(other, 4096);
    show("unmap the last");
    file = open("a", O_RDONLY);
    one = map(file);
    munmap(one, 4096);
    show("unmap first");
    close(file);
    show("close last");
    file = open("a", O_RDONLY);
    one = map(file);
    one = mremap(one, 4096, 8192, MREMAP_MAYMOVE);
    printf("%d\n", inotify_add_watch(watcher, "a", IN_ALL_EVENTS));
    close(file);
    unlink("a");
    show("unlink");
    munmap(one, 8192);
    show("unmap what is moved");
    chdir("/");
    rmdir(place);
    show("rmdir");
    return 0;
}
