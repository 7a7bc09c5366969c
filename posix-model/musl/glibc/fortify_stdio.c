/* What _FORTIFY_SOURCE turns the stdio calls into. `flag` asks glibc to refuse %n in writable memory: not checked. The
 * ones with a destination check that its size, passed by the compiler, holds what may be written. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

_Noreturn void __chk_fail(void);

static void require(int fits)
{
	if (!fits) __chk_fail();
}

int __vfprintf_chk(FILE *restrict file, int flag, const char *restrict format, va_list arguments)
{
	return vfprintf(file, format, arguments);
}

int __vprintf_chk(int flag, const char *restrict format, va_list arguments)
{
	return vprintf(format, arguments);
}

int __vdprintf_chk(int file, int flag, const char *restrict format, va_list arguments)
{
	return vdprintf(file, format, arguments);
}

int __vasprintf_chk(char **restrict to, int flag, const char *restrict format, va_list arguments)
{
	return vasprintf(to, format, arguments);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments)
{
	vsyslog(priority, format, arguments);
}

int __vsnprintf_chk(char *restrict to, size_t bytes, int flag, size_t room, const char *restrict format,
	va_list arguments)
{
	require(bytes <= room);
	return vsnprintf(to, bytes, format, arguments);
}

/* vsprintf knows no size; the compiler's bounds it. */
int __vsprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format, va_list arguments)
{
	int length = vsnprintf(to, room, format, arguments);
	require(length < 0 || (size_t)length < room);
	return length;
}

#define FORWARD(call) \
	va_list arguments; \
	va_start(arguments, format); \
	int length = call; \
	va_end(arguments); \
	return length

int __printf_chk(int flag, const char *restrict format, ...)
{
	FORWARD(vprintf(format, arguments));
}

int __fprintf_chk(FILE *restrict file, int flag, const char *restrict format, ...)
{
	FORWARD(vfprintf(file, format, arguments));
}

int __dprintf_chk(int file, int flag, const char *restrict format, ...)
{
	FORWARD(vdprintf(file, format, arguments));
}

int __asprintf_chk(char **restrict to, int flag, const char *restrict format, ...)
{
	FORWARD(vasprintf(to, format, arguments));
}

int __snprintf_chk(char *restrict to, size_t bytes, int flag, size_t room, const char *restrict format, ...)
{
	FORWARD(__vsnprintf_chk(to, bytes, flag, room, format, arguments));
}

int __sprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format, ...)
{
	FORWARD(__vsprintf_chk(to, flag, room, format, arguments));
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsyslog(priority, format, arguments);
	va_end(arguments);
}

char *__fgets_chk(char *restrict to, size_t room, int bytes, FILE *restrict file)
{
	require(bytes >= 0 && (size_t)bytes <= room);
	return fgets(to, bytes, file);
}

size_t __fread_chk(void *restrict to, size_t room, size_t bytes, size_t count, FILE *restrict file)
{
	require(bytes == 0 || count <= room / bytes);
	return fread(to, bytes, count, file);
}

char *__fgets_unlocked_chk(char *restrict to, size_t room, int bytes, FILE *restrict file)
{
	return __fgets_chk(to, room, bytes, file);
}

size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t bytes, size_t count, FILE *restrict file)
{
	return __fread_chk(to, room, bytes, count, file);
}
