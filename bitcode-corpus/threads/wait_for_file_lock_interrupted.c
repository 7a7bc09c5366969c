// A handler ends a wait for a lock of a file, which is not taken then.
//@ outcomes: h- i0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

static int mine, others;

static void handle(int signal) {
    (void)signal;
}

static void *wait_for_lock(void *unused) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    int result = flock(others, LOCK_EX) ? errno : 0;
    write(1, result == EINTR ? "i" : "h", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    mine = open("/tmp/symx-interrupted", O_RDWR | O_CREAT, 0600);
    others = open("/tmp/symx-interrupted", O_RDWR);
    flock(mine, LOCK_EX);
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, wait_for_lock, NULL);
    pthread_kill(thread, SIGUSR1);
    flock(mine, LOCK_UN);
    pthread_join(thread, NULL);
    write(1, flock(mine, LOCK_EX | LOCK_NB) ? "-" : "0", 1);
    unlink("/tmp/symx-interrupted");
    return 0;
}
