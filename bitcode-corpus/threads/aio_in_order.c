// Requests on one descriptor take effect in the order in which they were made; the second one sends a signal.
//@ outcomes: 3,3,xyz,1
//@ native
#include <aio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/symx-aio-XXXXXX", bytes[4] = "", text[] = "xyz";
    int file = mkstemp(name), number;
    unlink(name);
    struct aiocb writes = {.aio_fildes = file, .aio_buf = text, .aio_nbytes = 3};
    struct aiocb reads = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 3};
    writes.aio_sigevent.sigev_notify = SIGEV_NONE;
    reads.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
    reads.aio_sigevent.sigev_signo = SIGUSR1;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (aio_write(&writes) || aio_read(&reads)) return 1;
    sigwait(&set, &number);
    printf("%zd,%zd,%s,%d\n", aio_return(&writes), aio_return(&reads), bytes, number == SIGUSR1);
    return 0;
}
