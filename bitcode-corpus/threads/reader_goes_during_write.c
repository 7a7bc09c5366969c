// The reader goes while a write waits that has done a part: the write says how much. To a pipe, the signal comes
// all the same, to a socket not.
//@ outcomes: part,1;part,0
//@ native
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static int ends[2];
static char bytes[1 << 20];

static void handle(int signal) {
    (void)signal;
    signals++;
}

static void *run(void *written) {
    *(long *)written = write(ends[1], bytes, sizeof bytes);
    return NULL;
}

static void show(char behind) {
    pthread_t thread;
    long written;
    struct pollfd poll_for = {.fd = ends[0], .events = POLLIN};
    signals = 0;
    pthread_create(&thread, NULL, run, &written);
    poll(&poll_for, 1, -1);
    close(ends[0]);
    pthread_join(thread, NULL);
    close(ends[1]);
    printf("%s,%d%c", written > 0 && written < (long)sizeof bytes ? "part" : "other", signals, behind);
}

int main(void) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGPIPE, &action, NULL);
    if (pipe(ends))
        return 1;
    show(';');
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    show('\n');
    return 0;
}
