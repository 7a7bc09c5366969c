// A program that changes a buffer while a request writes from it: the file has this or that.
//@ outcomes: a b
#define _GNU_SOURCE
#include <aio.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char byte = 'a';

int main(void) {
    char written = 0;
    int file = memfd_create("file", 0);
    struct aiocb block = {.aio_fildes = file, .aio_buf = &byte, .aio_nbytes = 1};
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    struct aiocb *list[] = {&block};
    block.aio_lio_opcode = LIO_WRITE;
    if (lio_listio(LIO_NOWAIT, list, 1, NULL)) return 1;
    byte = 'b';
    const struct aiocb *wait[] = {&block};
    if (aio_suspend(wait, 1, NULL)) return 2;
    pread(file, &written, 1, 0);
    printf("%c\n", written);
    return 0;
}
