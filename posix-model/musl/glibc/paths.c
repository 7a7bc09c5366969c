/* Paths and descriptors: calls that differ between glibc and musl, or that musl lacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The GNU form, for programs that do not include <libgen.h>: it leaves its argument alone. */
char *basename(const char *path)
{
	char *slash = strrchr(path, '/');
	return slash ? slash + 1 : (char *)path;
}

/* The POSIX form. */
char *__xpg_basename(char *path)
{
	if (!path || !*path) return ".";
	size_t end = strlen(path) - 1;
	while (end && path[end] == '/') path[end--] = 0;
	while (end && path[end - 1] != '/') end--;
	return path + end;
}

char *getwd(char *to)
{
	char path[PATH_MAX];
	if (!getcwd(path, sizeof path)) return 0;
	return strcpy(to, path);
}

char *tmpnam_r(char *to)
{
	return to ? tmpnam(to) : 0;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	if (!flags) return renameat(from_folder, from, to_folder, to);
	errno = EINVAL;
	return -1;
}

/* The table of descriptors is no larger than this here. */
#define DESCRIPTORS 1024

int close_range(unsigned first, unsigned last, int flags)
{
	if (first > last) {
		errno = EINVAL;
		return -1;
	}
	if (last > DESCRIPTORS) last = DESCRIPTORS;
	for (unsigned file = first; file <= last; file++)
		if (fcntl(file, F_GETFD) >= 0) {
			if (flags) fcntl(file, F_SETFD, FD_CLOEXEC);
			else close(file);
		}
	return 0;
}

void closefrom(int first)
{
	int saved = errno;
	close_range(first < 0 ? 0 : first, ~0u, 0);
	errno = saved;
}

int fcloseall(void)
{
	return fflush(0);
}

/* musl has it from 1.2.4 on only. */
struct statx;
int statx(int directory, const char *path, int flags, unsigned mask, struct statx *result)
{
	return syscall(SYS_statx, directory, path, flags, mask, result);
}
