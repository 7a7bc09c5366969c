/* Names that glibc's headers or older programs call and that musl lacks. */
#define _GNU_SOURCE
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* The version whose headers the layer answers: programs ask for it to choose among interfaces. */
const char *gnu_get_libc_version(void)
{
	return "2.36";
}

const char *gnu_get_libc_release(void)
{
	return "stable";
}

void *rawmemchr(const void *bytes, int byte)
{
	const unsigned char *at = bytes;
	while (*at != (unsigned char)byte) at++;
	return (void *)at;
}

void *__rawmemchr(const void *bytes, int byte)
{
	return rawmemchr(bytes, byte);
}

void *__mempcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	return (char *)memcpy(to, from, bytes) + bytes;
}

char *__strdup(const char *text)
{
	return strdup(text);
}

char *__strndup(const char *text, size_t most)
{
	return strndup(text, most);
}

char *__secure_getenv(const char *name)
{
	return secure_getenv(name);
}

int __getpagesize(void)
{
	return getpagesize();
}

char *canonicalize_file_name(const char *path)
{
	return realpath(path, 0);
}

int __isnan(double x)
{
	return isnan(x);
}

int __isnanf(float x)
{
	return isnan(x);
}

int __isnanl(long double x)
{
	return isnan(x);
}

/* glibc's answer tells the two infinities apart. */
int __isinf(double x)
{
	return isinf(x) ? (x > 0 ? 1 : -1) : 0;
}

int __isinff(float x)
{
	return __isinf(x);
}

int __isinfl(long double x)
{
	return isinf(x) ? (x > 0 ? 1 : -1) : 0;
}

int __finite(double x)
{
	return isfinite(x);
}

int __finitef(float x)
{
	return isfinite(x);
}

int __finitel(long double x)
{
	return isfinite(x);
}

int __open_2(const char *path, int flags)
{
	extern int open(const char *, int, ...);
	return open(path, flags);
}

int __open64_2(const char *path, int flags)
{
	return __open_2(path, flags);
}

/* What PTHREAD_STACK_MIN and SIGSTKSZ stand for in glibc's headers; its smallest stack is larger than musl's. */
long __sysconf(int name)
{
	return name == _SC_THREAD_STACK_MIN ? 16384 : sysconf(name);
}
