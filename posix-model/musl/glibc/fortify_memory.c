/* What _FORTIFY_SOURCE turns memory and string calls into: the plain call, after a check that the bytes written fit the
 * destination, whose size the compiler passes. A failed check is an overflow of the program: __chk_fail. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

_Noreturn void __chk_fail(void)
{
	abort();
}

static void require(int fits)
{
	if (!fits) __chk_fail();
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return memcpy(to, from, bytes);
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return (char *)memcpy(to, from, bytes) + bytes;
}

void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return memmove(to, from, bytes);
}

void *__memset_chk(void *to, int byte, size_t bytes, size_t room)
{
	require(bytes <= room);
	return memset(to, byte, bytes);
}

void __explicit_bzero_chk(void *to, size_t bytes, size_t room)
{
	require(bytes <= room);
	explicit_bzero(to, bytes);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	require(strlen(from) < room);
	return strcpy(to, from);
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	require(strlen(from) < room);
	return stpcpy(to, from);
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return strncpy(to, from, bytes);
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return stpncpy(to, from, bytes);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t room)
{
	size_t used = strnlen(to, room);
	require(used < room && strlen(from) < room - used);
	return strcat(to, from);
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t most, size_t room)
{
	size_t used = strnlen(to, room);
	require(used < room && strnlen(from, most) < room - used);
	return strncat(to, from, most);
}

ssize_t __read_chk(int file, void *to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return read(file, to, bytes);
}

ssize_t __pread_chk(int file, void *to, size_t bytes, off_t offset, size_t room)
{
	require(bytes <= room);
	return pread(file, to, bytes, offset);
}

ssize_t __pread64_chk(int file, void *to, size_t bytes, off_t offset, size_t room)
{
	return __pread_chk(file, to, bytes, offset, room);
}

ssize_t __readlink_chk(const char *restrict path, char *restrict to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return readlink(path, to, bytes);
}

char *__getcwd_chk(char *to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return getcwd(to, bytes);
}

char *__realpath_chk(const char *restrict path, char *restrict to, size_t room)
{
	char *resolved = realpath(path, 0);
	if (!resolved) return 0;
	require(strlen(resolved) < room);
	strcpy(to, resolved);
	free(resolved);
	return to;
}

int __poll_chk(struct pollfd *files, nfds_t count, int milliseconds, size_t room)
{
	require(count <= room / sizeof *files);
	return poll(files, count, milliseconds);
}

long __fdelt_chk(long file)
{
	require(file >= 0 && file < FD_SETSIZE);
	return file / (8 * sizeof(long));
}


void *__memrchr_chk(const void *bytes, int byte, size_t count, size_t room)
{
	require(count <= room);
	return memrchr(bytes, byte, count);
}

size_t __strlcpy_chk(char *restrict to, const char *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return strlcpy(to, from, bytes);
}

ssize_t __readlinkat_chk(int folder, const char *restrict path, char *restrict to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return readlinkat(folder, path, to, bytes);
}

size_t __confstr_chk(int name, char *to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return confstr(name, to, bytes);
}

int __gethostname_chk(char *to, size_t bytes, size_t room)
{
	require(bytes <= room);
	return gethostname(to, bytes);
}

int __getgroups_chk(int count, gid_t *to, size_t room)
{
	require(count >= 0 && (size_t)count <= room / sizeof *to);
	return getgroups(count, to);
}

int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask, size_t room)
{
	require(count <= room / sizeof *files);
	return ppoll(files, count, limit, mask);
}

ssize_t __recv_chk(int file, void *to, size_t bytes, size_t room, int flags)
{
	require(bytes <= room);
	return recv(file, to, bytes, flags);
}

ssize_t __recvfrom_chk(int file, void *restrict to, size_t bytes, size_t room, int flags,
	struct sockaddr *restrict sender, socklen_t *restrict length)
{
	require(bytes <= room);
	return recvfrom(file, to, bytes, flags, sender, length);
}

long __fdelt_warn(long file)
{
	return __fdelt_chk(file);
}
