/* error() and its kin: a message on standard error, with the program's name and errno's text. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned int error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void report(int status, int number, const char *file, unsigned line, const char *format, va_list arguments)
{
	fflush(stdout);
	if (error_print_progname) error_print_progname();
	else fprintf(stderr, file ? "%s:" : "%s: ", program_invocation_name);
	if (file) fprintf(stderr, "%s:%u: ", file, line);
	vfprintf(stderr, format, arguments);
	if (number) fprintf(stderr, ": %s", strerror(number));
	putc('\n', stderr);
	fflush(stderr);
	error_message_count++;
	if (status) exit(status);
}

void error(int status, int number, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	report(status, number, 0, 0, format, arguments);
	va_end(arguments);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
	static const char *last_file;
	static unsigned last_line;
	va_list arguments;

	if (error_one_per_line) {
		if (last_line == line && last_file && file && !strcmp(last_file, file)) return;
		last_file = file;
		last_line = line;
	}
	va_start(arguments, format);
	report(status, number, file, line, format, arguments);
	va_end(arguments);
}
