// Requests that cannot be made, and several that are waited for together.
//@ outcomes: 1,1,1,2,1,1
//@ native
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char bytes[2] = "", text[] = "ab";
    int file = memfd_create("file", 0);
    struct aiocb block = {.aio_fildes = file, .aio_buf = bytes, .aio_nbytes = 1};
    block.aio_sigevent.sigev_notify = SIGEV_NONE;
    printf("%d,", aio_fsync(1000, &block) == -1 && errno == EINVAL);
    struct aiocb other = block;
    block.aio_lio_opcode = LIO_WRITE;
    other.aio_lio_opcode = LIO_NOP;
    block.aio_buf = text;
    block.aio_nbytes = 2;
    struct aiocb *list[] = {&block, NULL, &other};
    printf("%d,", lio_listio(LIO_WAIT, list, 3, NULL) == 0);
    printf("%d,", aio_error(&block) == 0);
    printf("%zd,", aio_return(&block));
    printf("%d,", aio_cancel(file, NULL) == AIO_ALLDONE);
    printf("%d\n", lio_listio(1000, list, 3, NULL) == -1 && errno == EINVAL);
    return 0;
}
