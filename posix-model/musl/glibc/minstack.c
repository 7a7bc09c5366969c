/* The least size of a thread's stack, which the runtimes of languages ask glibc for. */
#include <pthread.h>
#include <stddef.h>

size_t __pthread_get_minstack(const pthread_attr_t *attributes)
{
	(void)attributes;
	return 16384;
}
