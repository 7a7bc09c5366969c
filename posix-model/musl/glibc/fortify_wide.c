/* What _FORTIFY_SOURCE turns calls on wide characters into; the room is counted in wide characters. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

_Noreturn void __chk_fail(void);

static void require(int fits)
{
	if (!fits) __chk_fail();
}

#define DEFINE_COPY(plain) \
	wchar_t *__##plain##_chk(wchar_t *to, const wchar_t *from, size_t count, size_t room) \
	{ \
		require(count <= room); \
		return plain(to, from, count); \
	}

DEFINE_COPY(wmemcpy)
DEFINE_COPY(wmemmove)
DEFINE_COPY(wcsncpy)
DEFINE_COPY(wcpncpy)

wchar_t *__wmempcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t count, size_t room)
{
	require(count <= room);
	return wmemcpy(to, from, count) + count;
}

wchar_t *__wmemset_chk(wchar_t *to, wchar_t letter, size_t count, size_t room)
{
	require(count <= room);
	return wmemset(to, letter, count);
}

wchar_t *__wcscpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t room)
{
	require(wcslen(from) < room);
	return wcscpy(to, from);
}

wchar_t *__wcpcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t room)
{
	require(wcslen(from) < room);
	return wcpcpy(to, from);
}

wchar_t *__wcscat_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t room)
{
	size_t used = wcsnlen(to, room);
	require(used < room && wcslen(from) < room - used);
	return wcscat(to, from);
}

wchar_t *__wcsncat_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t most, size_t room)
{
	size_t used = wcsnlen(to, room);
	require(used < room && wcsnlen(from, most) < room - used);
	return wcsncat(to, from, most);
}

size_t __mbstowcs_chk(wchar_t *restrict to, const char *restrict from, size_t count, size_t room)
{
	require(count <= room);
	return mbstowcs(to, from, count);
}

size_t __wcstombs_chk(char *restrict to, const wchar_t *restrict from, size_t bytes, size_t room)
{
	require(bytes <= room);
	return wcstombs(to, from, bytes);
}

size_t __mbsrtowcs_chk(wchar_t *restrict to, const char **restrict from, size_t count, mbstate_t *restrict state,
	size_t room)
{
	require(count <= room);
	return mbsrtowcs(to, from, count, state);
}

size_t __wcsrtombs_chk(char *restrict to, const wchar_t **restrict from, size_t bytes, mbstate_t *restrict state,
	size_t room)
{
	require(bytes <= room);
	return wcsrtombs(to, from, bytes, state);
}

size_t __mbsnrtowcs_chk(wchar_t *restrict to, const char **restrict from, size_t most, size_t count,
	mbstate_t *restrict state, size_t room)
{
	require(count <= room);
	return mbsnrtowcs(to, from, most, count, state);
}

size_t __wcsnrtombs_chk(char *restrict to, const wchar_t **restrict from, size_t most, size_t bytes,
	mbstate_t *restrict state, size_t room)
{
	require(bytes <= room);
	return wcsnrtombs(to, from, most, bytes, state);
}

size_t __wcrtomb_chk(char *restrict to, wchar_t letter, mbstate_t *restrict state, size_t room)
{
	require(room >= MB_CUR_MAX);
	return wcrtomb(to, letter, state);
}

int __wctomb_chk(char *to, wchar_t letter, size_t room)
{
	require(room >= MB_CUR_MAX);
	return wctomb(to, letter);
}

wchar_t *__fgetws_chk(wchar_t *restrict to, size_t room, int count, FILE *restrict file)
{
	require(count >= 0 && (size_t)count <= room);
	return fgetws(to, count, file);
}

int __vfwprintf_chk(FILE *restrict file, int flag, const wchar_t *restrict format, va_list arguments)
{
	return vfwprintf(file, format, arguments);
}

int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list arguments)
{
	return vwprintf(format, arguments);
}

int __vswprintf_chk(wchar_t *restrict to, size_t count, int flag, size_t room, const wchar_t *restrict format,
	va_list arguments)
{
	require(count <= room);
	return vswprintf(to, count, format, arguments);
}

#define FORWARD(call) \
	va_list arguments; \
	va_start(arguments, format); \
	int length = call; \
	va_end(arguments); \
	return length

int __fwprintf_chk(FILE *restrict file, int flag, const wchar_t *restrict format, ...)
{
	FORWARD(vfwprintf(file, format, arguments));
}

int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
	FORWARD(vwprintf(format, arguments));
}

int __swprintf_chk(wchar_t *restrict to, size_t count, int flag, size_t room, const wchar_t *restrict format, ...)
{
	FORWARD(__vswprintf_chk(to, count, flag, room, format, arguments));
}
