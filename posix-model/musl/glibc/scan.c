/* glibc since 2.38 redirects the number parsers of C23 programs to these names. They are the plain ones but for one
 * thing: base 0 and base 2 take the prefix 0b. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

/* The digits behind an optional sign and the prefix 0b, or null where `base` or the text has none. */
static const char *binary_digits(const char *text, int base, int *negative)
{
	if (base != 0 && base != 2) return 0;
	while (isspace((unsigned char)*text)) text++;
	*negative = *text == '-';
	if (*text == '+' || *text == '-') text++;
	return text[0] == '0' && (text[1] | 32) == 'b' && (text[2] == '0' || text[2] == '1') ? text + 2 : 0;
}

static long long parse_signed(const char *text, char **end, int base)
{
	int negative;
	const char *digits = binary_digits(text, base, &negative);
	if (!digits) return strtoll(text, end, base);

	unsigned long long limit = negative ? (unsigned long long)LLONG_MAX + 1 : LLONG_MAX;
	unsigned long long value = strtoull(digits, end, 2);
	if (value > limit) {
		errno = ERANGE;
		value = limit;
	}
	return negative ? -value : value;
}

static unsigned long long parse_unsigned(const char *text, char **end, int base)
{
	int negative;
	const char *digits = binary_digits(text, base, &negative);
	if (!digits) return strtoull(text, end, base);

	/* All digits are ones and zeros: only an overflow yields an ERANGE, and then the maximum stays as it is. */
	int saved = errno;
	errno = 0;
	unsigned long long value = strtoull(digits, end, 2);
	if (errno == ERANGE) return value;
	errno = saved;
	return negative ? -value : value;
}

#define DEFINE_PARSER(name, plain, parse) \
	plain name(const char *restrict text, char **restrict end, int base) \
	{ \
		return parse(text, end, base); \
	}

DEFINE_PARSER(__isoc23_strtol, long, parse_signed)
DEFINE_PARSER(__isoc23_strtoll, long long, parse_signed)
DEFINE_PARSER(__isoc23_strtoimax, intmax_t, parse_signed)
DEFINE_PARSER(__isoc23_strtoul, unsigned long, parse_unsigned)
DEFINE_PARSER(__isoc23_strtoull, unsigned long long, parse_unsigned)
DEFINE_PARSER(__isoc23_strtoumax, uintmax_t, parse_unsigned)

int __isoc23_vsscanf(const char *restrict text, const char *restrict format, va_list arguments)
{
	return vsscanf(text, format, arguments);
}

int __isoc23_vfscanf(FILE *restrict file, const char *restrict format, va_list arguments)
{
	return vfscanf(file, format, arguments);
}

int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int converted = vsscanf(text, format, arguments);
	va_end(arguments);
	return converted;
}

int __isoc23_fscanf(FILE *restrict file, const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int converted = vfscanf(file, format, arguments);
	va_end(arguments);
	return converted;
}

int __isoc23_scanf(const char *restrict format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int converted = vfscanf(stdin, format, arguments);
	va_end(arguments);
	return converted;
}

/* There is one locale. */
#define DEFINE_WITH_LOCALE(name, plain, type, letter) \
	type name##_l(const letter *restrict text, letter **restrict end, int base, void *locale) \
	{ \
		return plain(text, end, base); \
	} \
	type __##name##_l(const letter *restrict text, letter **restrict end, int base, void *locale) \
	{ \
		return plain(text, end, base); \
	}

DEFINE_WITH_LOCALE(strtol, strtol, long, char)
DEFINE_WITH_LOCALE(strtoll, strtoll, long long, char)
DEFINE_WITH_LOCALE(strtoul, strtoul, unsigned long, char)
DEFINE_WITH_LOCALE(strtoull, strtoull, unsigned long long, char)
DEFINE_WITH_LOCALE(wcstol, wcstol, long, wchar_t)
DEFINE_WITH_LOCALE(wcstoll, wcstoll, long long, wchar_t)
DEFINE_WITH_LOCALE(wcstoul, wcstoul, unsigned long, wchar_t)
DEFINE_WITH_LOCALE(wcstoull, wcstoull, unsigned long long, wchar_t)

#define DEFINE_REAL_WITH_LOCALE(name, type, letter) \
	type name##_l(const letter *restrict text, letter **restrict end, void *locale) \
	{ \
		return name(text, end); \
	} \
	type __##name##_l(const letter *restrict text, letter **restrict end, void *locale) \
	{ \
		return name(text, end); \
	}

DEFINE_REAL_WITH_LOCALE(wcstof, float, wchar_t)
DEFINE_REAL_WITH_LOCALE(wcstod, double, wchar_t)
DEFINE_REAL_WITH_LOCALE(wcstold, long double, wchar_t)

long long strtoq(const char *restrict text, char **restrict end, int base)
{
	return strtoll(text, end, base);
}

unsigned long long strtouq(const char *restrict text, char **restrict end, int base)
{
	return strtoull(text, end, base);
}
