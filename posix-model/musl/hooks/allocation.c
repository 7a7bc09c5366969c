/* libc's own uses of the allocator go to the same functions as the program's: symx gives every block an identity. */
#include <stdlib.h>

#undef malloc
#undef calloc
#undef realloc
#undef free

void *__libc_malloc(size_t bytes)
{
	return malloc(bytes);
}

void *__libc_malloc_impl(size_t bytes)
{
	return malloc(bytes);
}

void *__libc_calloc(size_t count, size_t bytes)
{
	return calloc(count, bytes);
}

void *__libc_realloc(void *block, size_t bytes)
{
	return realloc(block, bytes);
}

void __libc_free(void *block)
{
	free(block);
}
