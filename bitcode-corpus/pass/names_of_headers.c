// Names that glibc's headers make of other calls and of macros.
//@ native
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

/* How many headers a message has, and how long the last one is. */
static void headers(size_t first, size_t second, size_t length) {
    union {
        char bytes[64];
        struct cmsghdr aligned;
    } control = {{0}};
    struct msghdr message = {.msg_control = control.bytes, .msg_controllen = length};
    control.aligned.cmsg_len = first;
    size_t after = CMSG_ALIGN(first);
    if (after + sizeof(struct cmsghdr) <= sizeof control)
        ((struct cmsghdr *)(control.bytes + after))->cmsg_len = second;
    int count = 0;
    size_t last = 0;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at && count < 9; at = CMSG_NXTHDR(&message, at)) {
        last = at->cmsg_len;
        count++;
    }
    printf("%d %zu\n", count, last);
}

int main(int count, char **words) {
    headers(CMSG_LEN(4), CMSG_LEN(12), 64);
    headers(CMSG_LEN(4), CMSG_LEN(12), CMSG_SPACE(4) + CMSG_SPACE(12));
    headers(CMSG_LEN(4), CMSG_LEN(12), CMSG_SPACE(4) + 8);
    headers(0, 0, 64);

    cpu_set_t *set = CPU_ALLOC(100);
    size_t size = CPU_ALLOC_SIZE(100);
    CPU_ZERO_S(size, set);
    CPU_SET_S(7, size, set);
    printf("%zu %d\n", size, CPU_COUNT_S(size, set));
    CPU_FREE(set);

    printf("%d %d %d %d\n", rpmatch("yes"), rpmatch("No"), rpmatch(""), mallinfo().arena >= 0);

    mbstate_t state = {0};
    printf("%zu %zu\n", mbrlen(words[0], 1, count > 0 ? NULL : &state), mbrlen("", 1, NULL));

    char name[] = "/tmp/names_of_headersXXXXXX", found[8] = {0};
    int file = mkstemp(name);
    struct iovec out = {"abcdef", 6}, in = {found, 3};
    printf("%zd", pwritev2(file, &out, 1, 0, RWF_DSYNC));
    printf(" %zd %s", preadv2(file, &in, 1, 2, 0), found);
    lseek(file, 1, SEEK_SET);
    printf(" %zd %s\n", preadv2(file, &in, 1, -1, 0), found);
    unlink(name);
    close(file);
    return 0;
}
