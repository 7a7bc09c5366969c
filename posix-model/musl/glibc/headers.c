/* Names that stand in no program: glibc's headers make them of other calls and of macros, some at -O0 only, some only
 * in optimised code or with _FORTIFY_SOURCE. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

_Noreturn void __chk_fail(void);

/* mbrlen, unless it is given a state. */
size_t __mbrlen(const char *restrict text, size_t most, mbstate_t *restrict state)
{
	return mbrlen(text, most, state);
}

/* CMSG_NXTHDR. */
struct cmsghdr *__cmsg_nxthdr(struct msghdr *message, struct cmsghdr *header)
{
	size_t length = header->cmsg_len, whole = CMSG_ALIGN(length);
	size_t left = (char *)message->msg_control + message->msg_controllen - (char *)header;

	if (length < sizeof *header || left < sizeof *header + whole - length || left - sizeof *header - (whole - length) < length)
		return 0;
	return (struct cmsghdr *)((char *)header + whole);
}

/* CPU_ALLOC and CPU_FREE. */
cpu_set_t *__sched_cpualloc(size_t count)
{
	return malloc(CPU_ALLOC_SIZE(count));
}

void __sched_cpufree(cpu_set_t *set)
{
	free(set);
}

/* Calls without a mode. If they may create a file, an argument is missing. */
int __openat_2(int folder, const char *path, int flags)
{
	return openat(folder, path, flags);
}

int __openat64_2(int folder, const char *path, int flags)
{
	return __openat_2(folder, path, flags);
}

mqd_t __mq_open_2(const char *name, int flags)
{
	return mq_open(name, flags);
}

int __getlogin_r_chk(char *name, size_t length, size_t room)
{
	if (length > room) __chk_fail();
	return getlogin_r(name, length);
}

int __ttyname_r_chk(int descriptor, char *name, size_t length, size_t room)
{
	if (length > room) __chk_fail();
	return ttyname_r(descriptor, name, length);
}

int __ptsname_r_chk(int descriptor, char *name, size_t length, size_t room)
{
	if (length > room) __chk_fail();
	return ptsname_r(descriptor, name, length);
}

int __getdomainname_chk(char *name, size_t length, size_t room)
{
	if (length > room) __chk_fail();
	return getdomainname(name, length);
}

/* Of a transfer: that it is polled for, and that bytes are on the disk before it returns. Here there is nothing to see of that. */
#define UNSEEN (0x1 | 0x2 | 0x4)

/* Programs for large files call them with 64 in the name. What other flags ask for is the file system's, which may refuse. */
ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t at, int flags)
{
	if (flags & ~UNSEEN) return errno = EOPNOTSUPP, -1;
	return at == -1 ? readv(descriptor, parts, count) : preadv(descriptor, parts, count, at);
}

ssize_t preadv64v2(int descriptor, const struct iovec *parts, int count, off_t at, int flags)
{
	return preadv2(descriptor, parts, count, at, flags);
}

ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t at, int flags)
{
	if (flags & ~UNSEEN) return errno = EOPNOTSUPP, -1;
	return at == -1 ? writev(descriptor, parts, count) : pwritev(descriptor, parts, count, at);
}

ssize_t pwritev64v2(int descriptor, const struct iovec *parts, int count, off_t at, int flags)
{
	return pwritev2(descriptor, parts, count, at, flags);
}
