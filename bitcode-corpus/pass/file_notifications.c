// What happens in a directory and to a file that are both watched: the directory hears first, a renaming has one
// cookie, and the end of a file is that of its watch.
//@ native
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static int watcher;

// The events so far: watch, mask, whether there is a cookie, name.
static void show(const char *what) {
    char events[4096] __attribute__((aligned(8)));
    ssize_t length = read(watcher, events, sizeof events);
    printf("%s:", what);
    if (length < 0) printf(" %d", errno == EAGAIN ? 0 : errno);
    for (ssize_t at = 0; at < length;) {
        struct inotify_event *event = (void *)(events + at);
        printf(" %d,%x,%d,%s", event->wd, event->mask, event->cookie != 0, event->len ? event->name : "");
        at += sizeof *event + event->len;
    }
    printf("\n");
}

static void put(const char *name) {
    int file = open(name, O_CREAT | O_RDWR, 0600);
    write(file, "text", 4);
    close(file);
}

int main(void) {
    char place[64], byte;
    snprintf(place, sizeof place, "/tmp/symx_notified-%d", getpid());
    mkdir(place, 0700);
    chdir(place);
    watcher = inotify_init1(IN_NONBLOCK);
    printf("%d\n", inotify_add_watch(watcher, ".", IN_ALL_EVENTS));
    int file = open("a", O_CREAT | O_RDWR, 0600);
    show("create");
    printf("%d\n", inotify_add_watch(watcher, "a", IN_ALL_EVENTS));
    write(file, "xy", 2);
    write(file, "z", 1);
    write(file, "", 0);
    show("write");
    pread(file, &byte, 1, 0);
    pread(file, &byte, 1, 100);
    show("read");
    ftruncate(file, 1);
    truncate("a", 0);
    show("truncate");
    fchmod(file, 0640);
    chmod("a", 0600);
    show("chmod");
    link("a", "b");
    show("link");
    rename("a", "c");
    write(file, "x", 1);
    show("rename");
    unlink("b");
    unlink("c");
    write(file, "x", 1);
    show("unlink");
    close(file);
    show("close");
    put("d");
    put("e");
    show("put");
    printf("%d\n", inotify_add_watch(watcher, "d", IN_ALL_EVENTS));
    printf("%d\n", inotify_add_watch(watcher, "e", IN_ALL_EVENTS));
    rename("d", "e");
    show("over");
    unlink("e");
    show("last");
    mkdir("s", 0700);
    show("mkdir");
    printf("%d\n", inotify_add_watch(watcher, "s", IN_ALL_EVENTS));
    put("s/x");
    rename("s/x", "y");
    show("out");
    rename("s", "t");
    put("t/z");
    unlink("t/z");
    show("moved");
    DIR *directory = opendir("t");
    show("opendir");
    closedir(directory);
    show("closedir");
    rmdir("t");
    symlink("y", "l");
    show("rmdir");
    close(open("l", O_RDONLY));
    show("through a link");
    unlink("l");
    unlink("y");
    chdir("/");
    rmdir(place);
    show("end");
    close(watcher);
    return 0;
}
