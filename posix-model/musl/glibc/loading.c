/* dlopen and its kin, over what is linked in. A program can look up its own functions and variables and those of the
 * libraries it names. A library that is not linked in cannot be loaded: symx says so, unless the program sees no such file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef dlsym

/* Asks symx. */
void *__symx_symbol(const char *name, int next);

/* Ends the execution: symx cannot do this. */
void __symx_unsupported(const char *what);

/* Libraries whose functions are always there, by the names under which glibc has them. */
static const char *const present[] = {
	"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1",
};

/* Where a library without a path is looked for. */
static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/usr/lib"};

/* What handles point to: the program with all its libraries, and the libraries alone. */
static char whole, libraries;

static _Thread_local char problem[300];
static _Thread_local int has_problem;

static void fail(const char *subject, const char *what)
{
	snprintf(problem, sizeof problem, "%s: %s", subject, what);
	has_problem = 1;
}

static int is_seen(const char *file)
{
	char path[300];

	if (strchr(file, '/')) return !access(file, F_OK);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (snprintf(path, sizeof path, "%s/%s", folders[i], file) < sizeof path && !access(path, F_OK)) return 1;
	return 0;
}

void *dlopen(const char *file, int mode)
{
	const char *name;
	char missing[300];

	if (!(mode & (RTLD_LAZY | RTLD_NOW))) {
		fail(file && *file ? file : program_invocation_name, "invalid mode for dlopen(): Invalid argument");
		return 0;
	}
	if (!file || !*file) return &whole;
	name = strrchr(file, '/');
	name = name ? name + 1 : file;
	for (size_t i = 0; i < sizeof present / sizeof *present; i++)
		if (!strcmp(name, present[i])) return &libraries;
	/* Whether only what is loaded already is asked for. */
	if (!(mode & RTLD_NOLOAD) && is_seen(file)) {
		snprintf(missing, sizeof missing, "loading `%s`, whose code is not linked into the program", file);
		__symx_unsupported(missing);
	}
	fail(file, "cannot open shared object file: No such file or directory");
	return 0;
}

int dlclose(void *handle)
{
	if (handle == &whole || handle == &libraries) return 0;
	fail(program_invocation_name, "invalid handle");
	return -1;
}

char *dlerror(void)
{
	if (!has_problem) return 0;
	has_problem = 0;
	return problem;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	void *found = __symx_symbol(name, handle == RTLD_NEXT || handle == &libraries);
	char undefined[256];

	if (found) return found;
	snprintf(undefined, sizeof undefined, "undefined symbol: %s", name);
	fail(handle == &libraries ? present[0] : program_invocation_name, undefined);
	return 0;
}

/* Versions are not told apart: there is one of each function. */
void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version)
{
	return dlsym(handle, name);
}

/* No object is a file that was loaded. */
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	return 0;
}

int dladdr(const void *address, Dl_info *info)
{
	return 0;
}

int dladdr1(const void *address, Dl_info *info, void **more, int which)
{
	return 0;
}

/* Callers have no addresses by which they could be looked up: there are none to list. */
int backtrace(void **callers, int count)
{
	return 0;
}

char **backtrace_symbols(void *const *callers, int count)
{
	return calloc(count ? count : 1, sizeof(char *));
}

void backtrace_symbols_fd(void *const *callers, int count, int file)
{
}
