/* Names that glibc's headers or older programs call and that musl lacks. */
#define _GNU_SOURCE
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

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

int isnanf(float x)
{
	return isnan(x);
}

int isinff(float x)
{
	return __isinf(x);
}

int isinfl(long double x)
{
	return __isinfl(x);
}

int isnanl(long double x)
{
	return isnan(x);
}

int finitel(long double x)
{
	return isfinite(x);
}

/* To nearest, halves to even: what rint does in the one rounding mode there is. */
double roundeven(double x)
{
	return rint(x);
}

float roundevenf(float x)
{
	return rintf(x);
}

long double roundevenl(long double x)
{
	return rintl(x);
}

double gamma(double x)
{
	return lgamma(x);
}

unsigned gnu_dev_major(unsigned long long device)
{
	return (device >> 32 & 0xfffff000) | (device >> 8 & 0xfff);
}

unsigned gnu_dev_minor(unsigned long long device)
{
	return (device >> 12 & 0xffffff00) | (device & 0xff);
}

unsigned long long gnu_dev_makedev(unsigned major, unsigned minor)
{
	return (major & 0xfffff000ull) << 32 | (major & 0xfffull) << 8 | (minor & 0xffffff00ull) << 12 | (minor & 0xff);
}

void *memfrob(void *bytes, size_t count)
{
	unsigned char *at = bytes;
	while (count--) *at++ ^= 42;
	return bytes;
}

wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count)
{
	return wmemcpy(to, from, count) + count;
}

wchar_t *wcschrnul(const wchar_t *text, wchar_t letter)
{
	while (*text && *text != letter) text++;
	return (wchar_t *)text;
}

char *__strtok_r(char *restrict text, const char *restrict separators, char **restrict rest)
{
	return strtok_r(text, separators, rest);
}

char *__strcasestr(const char *text, const char *part)
{
	return strcasestr(text, part);
}

int __strcasecmp(const char *left, const char *right)
{
	return strcasecmp(left, right);
}

int __strverscmp(const char *left, const char *right)
{
	return strverscmp(left, right);
}

/* Programs ask whether they have one thread, to choose plain counters over atomic ones. The creation of the second
 * thread stores 0. */
char __libc_single_threaded = 1;

int group_member(gid_t group)
{
	return group == getgid() || group == getegid();
}

/* Random numbers without a seed: from the kernel, which symx models. */
void arc4random_buf(void *to, size_t bytes)
{
	getrandom(to, bytes, 0);
}

unsigned arc4random(void)
{
	unsigned number;
	arc4random_buf(&number, sizeof number);
	return number;
}

unsigned arc4random_uniform(unsigned bound)
{
	if (bound < 2) return 0;
	unsigned number, unfair = -bound % bound;
	do number = arc4random();
	while (number < unfair);
	return number % bound;
}

/* Settings of glibc's allocator: taken and without effect. */
int mallopt(int parameter, int value)
{
	return 1;
}

struct allocator_figures {
	size_t figures[10];
};

struct allocator_figures mallinfo2(void)
{
	return (struct allocator_figures){ { 0 } };
}

struct older_allocator_figures {
	int figures[10];
};

struct older_allocator_figures mallinfo(void)
{
	return (struct older_allocator_figures){ { 0 } };
}

/* Whether an answer is yes or no, in the one language there is. */
int rpmatch(const char *answer)
{
	return *answer == 'y' || *answer == 'Y' ? 1 : *answer == 'n' || *answer == 'N' ? 0 : -1;
}
