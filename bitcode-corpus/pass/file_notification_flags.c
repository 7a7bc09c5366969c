// Flags of watches, what reading them needs, and what is refused.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "watched"

static int watcher;

static int fails(long result, int error) {
    return result == -1 && errno == error;
}

static void show(void) {
    char events[1024] __attribute__((aligned(8)));
    ssize_t length = read(watcher, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        struct inotify_event *event = (void *)(events + at);
        printf(" %d,%x", event->wd, event->mask);
        at += sizeof *event + event->len;
    }
    printf("\n");
}

static void look(void) {
    close(open(FILE_NAME, O_RDONLY));
}

int main(void) {
    char place[64], small[31];
    snprintf(place, sizeof place, "/tmp/symx_flags-%d", getpid());
    mkdir(place, 0700);
    chdir(place);
    close(creat(FILE_NAME, 0600));
    symlink(FILE_NAME, "link");
    watcher = inotify_init();
    fcntl(watcher, F_SETFL, O_NONBLOCK);

    printf("%d", fails(inotify_init1(1), EINVAL));
    printf("%d", fails(inotify_add_watch(99, ".", IN_OPEN), EBADF));
    printf("%d", fails(inotify_add_watch(0, ".", IN_OPEN), EINVAL));
    printf("%d", fails(inotify_add_watch(watcher, ".", 0), EINVAL));
    printf("%d", fails(inotify_add_watch(watcher, ".", 1 << 12), EINVAL));
    printf("%d", fails(inotify_add_watch(watcher, "none", IN_OPEN), ENOENT));
    printf("%d", fails(inotify_add_watch(watcher, FILE_NAME, IN_OPEN | IN_ONLYDIR), ENOTDIR));
    printf("%d", fails(inotify_add_watch(watcher, ".", IN_OPEN | IN_MASK_ADD | IN_MASK_CREATE), EINVAL));
    printf("%d", fails(inotify_rm_watch(watcher, 1), EINVAL));
    printf("%d", fails(read(watcher, small, sizeof small), EAGAIN));
    printf("%d\n", fails(write(watcher, "x", 1), EBADF));

    int once = inotify_add_watch(watcher, FILE_NAME, IN_OPEN | IN_ONESHOT);
    look();
    look();
    printf("%d:", once);
    show();

    int more = inotify_add_watch(watcher, FILE_NAME, IN_OPEN);
    printf("%d", inotify_add_watch(watcher, FILE_NAME, IN_CLOSE_NOWRITE | IN_MASK_ADD) == more);
    printf("%d:", fails(inotify_add_watch(watcher, FILE_NAME, IN_OPEN | IN_MASK_CREATE), EEXIST));
    look();
    look();
    show();
    printf("%d:", inotify_add_watch(watcher, FILE_NAME, IN_OPEN) == more);
    look();
    look();
    show();

    int link = inotify_add_watch(watcher, "link", IN_ALL_EVENTS | IN_DONT_FOLLOW);
    unlink("link");
    printf("%d:", link);
    show();

    int directory = inotify_add_watch(watcher, ".", IN_MODIFY | IN_EXCL_UNLINK | IN_ONLYDIR);
    int file = open(FILE_NAME, O_RDWR);
    write(file, "a", 1);
    unlink(FILE_NAME);
    write(file, "b", 1);
    printf("%d:", directory);
    show();

    struct pollfd polled = {watcher, POLLIN, 0};
    struct epoll_event event = {.events = EPOLLIN}, found;
    int set = epoll_create1(0), count = -1;
    epoll_ctl(set, EPOLL_CTL_ADD, watcher, &event);
    printf("%d%d", poll(&polled, 1, 0), epoll_wait(set, &found, 1, 0));
    close(creat(FILE_NAME, 0600));
    inotify_add_watch(watcher, ".", IN_CREATE);
    close(creat("other", 0600));
    printf(",%d%d", poll(&polled, 1, 0), epoll_wait(set, &found, 1, 0));
    ioctl(watcher, FIONREAD, &count);
    printf(",%d,%d:", count, fails(read(watcher, small, sizeof small), EINVAL));
    show();
    printf("%d", inotify_rm_watch(watcher, directory));
    show();
    close(file);
    show();
    unlink(FILE_NAME);
    unlink("other");
    chdir("/");
    rmdir(place);
    return 0;
}
