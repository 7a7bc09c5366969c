/* What libstdc++ and code compiled against its headers ask of glibc and musl lacks. Compiled with the host's headers. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/random.h>

/* The program as a shared object; every destructor is the program's. */
void *__dso_handle = 0;

/* Reference counts are atomic once there was a second thread: its creation stores 0. */
char __libc_single_threaded = 1;

unsigned arc4random(void)
{
	unsigned bits;
	if (getrandom(&bits, sizeof bits, 0) != sizeof bits) abort();
	return bits;
}
