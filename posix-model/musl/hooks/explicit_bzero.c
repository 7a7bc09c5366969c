/* Writes through volatile pointers stay, with no assembly to keep them. */
#define _BSD_SOURCE
#include <string.h>

void explicit_bzero(void *bytes, size_t count)
{
	volatile unsigned char *at = bytes;
	while (count--) *at++ = 0;
}
