// Calls that fail for want of a descriptor leave nothing behind, and take nothing away: no file is made, and a
// connection waits on. A file opened for neither reading nor writing is made.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void show(const char *what, long result) {
    printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static void limit_to(rlim_t most) {
    struct rlimit limit;
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = most;
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

int main(void) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0symx_nothing_left"};
    char byte = 'x';
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(!bind(server, (void *)&address, sizeof address) && !listen(server, 1));
    assert(!connect(client, (void *)&address, sizeof address) && write(client, "c", 1) == 1);
    unlink("/tmp/symx_nothing_left");
    mq_unlink("/symx_nothing_left");

    limit_to(5);
    show("open", open("/tmp/symx_nothing_left", O_CREAT | O_RDWR, 0600));
    show("mq_open", mq_open("/symx_nothing_left", O_CREAT | O_RDWR, 0600, &attributes));
    show("accept", accept(server, NULL, NULL));
    limit_to(40);
    show("there", access("/tmp/symx_nothing_left", F_OK));
    show("there", mq_open("/symx_nothing_left", O_RDWR));
    int accepted = accept(server, NULL, NULL);
    show("accept", accepted);
    show("read", read(accepted, &byte, 1));
    putchar(byte);
    putchar('\n');

    int file = open("/tmp/symx_nothing_left", O_CREAT | 3, 0600);
    show("open", file);
    show("read", read(file, &byte, 1));
    show("write", write(file, &byte, 1));
    show("flags", fcntl(file, F_GETFL) & 3);
    show("unlink", unlink("/tmp/symx_nothing_left"));
    mqd_t queue = mq_open("/symx_nothing_left", O_CREAT | 3, 0600, &attributes);
    show("mq_open", queue);
    show("send", mq_send(queue, &byte, 1, 0));
    show("again", mq_open("/symx_nothing_left", 3));
    show("unlink", mq_unlink("/symx_nothing_left"));
    return 0;
}
