/* Obstacks, behind glibc's <obstack.h>, whose macros do the usual case and rely on this layout. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
	char *limit;
	struct chunk *previous;
	char contents[];
};

struct obstack {
	long chunk_size;
	struct chunk *chunk;
	char *object_base, *next_free, *chunk_limit;
	union { intptr_t number; void *pointer; } temporary;
	int alignment_mask;
	union { void *(*plain)(size_t); void *(*extra)(void *, size_t); } allocate;
	union { void (*plain)(void *); void (*extra)(void *, void *); } release;
	void *argument;
	unsigned use_argument : 1, maybe_empty : 1, failed : 1;
};

#define DEFAULT_ALIGNMENT 16
#define DEFAULT_CHUNK 4064

int obstack_exit_failure = EXIT_FAILURE;

static void out_of_memory(void)
{
	fputs("memory exhausted\n", stderr);
	exit(obstack_exit_failure);
}

void (*obstack_alloc_failed_handler)(void) = out_of_memory;

static struct chunk *new_chunk(struct obstack *stack, size_t bytes)
{
	struct chunk *chunk = stack->use_argument ? stack->allocate.extra(stack->argument, bytes) : stack->allocate.plain(bytes);
	if (!chunk) obstack_alloc_failed_handler();
	chunk->limit = stack->chunk_limit = (char *)chunk + bytes;
	return chunk;
}

static void release(struct obstack *stack, struct chunk *chunk)
{
	if (stack->use_argument) stack->release.extra(stack->argument, chunk);
	else stack->release.plain(chunk);
}

static char *first_object(struct obstack *stack, struct chunk *chunk)
{
	return chunk->contents + (-(uintptr_t)chunk->contents & stack->alignment_mask);
}

static int begin(struct obstack *stack, size_t bytes, size_t alignment)
{
	stack->chunk_size = bytes ? bytes : DEFAULT_CHUNK;
	stack->alignment_mask = (alignment ? alignment : DEFAULT_ALIGNMENT) - 1;
	stack->chunk = new_chunk(stack, stack->chunk_size);
	stack->chunk->previous = 0;
	stack->next_free = stack->object_base = first_object(stack, stack->chunk);
	stack->maybe_empty = stack->failed = 0;
	return 1;
}

int _obstack_begin(struct obstack *stack, int bytes, int alignment, void *(*allocate)(size_t), void (*release)(void *))
{
	stack->allocate.plain = allocate;
	stack->release.plain = release;
	stack->use_argument = 0;
	return begin(stack, bytes, alignment);
}

int _obstack_begin_1(struct obstack *stack, int bytes, int alignment, void *(*allocate)(void *, size_t),
	void (*release)(void *, void *), void *argument)
{
	stack->allocate.extra = allocate;
	stack->release.extra = release;
	stack->argument = argument;
	stack->use_argument = 1;
	return begin(stack, bytes, alignment);
}

/* Moves the object that is growing to a chunk with room for `more` bytes. */
void _obstack_newchunk(struct obstack *stack, int more)
{
	struct chunk *old = stack->chunk;
	size_t size = stack->next_free - stack->object_base;
	size_t wanted = size + more + stack->alignment_mask + sizeof(struct chunk) + (size >> 3) + 100;
	struct chunk *chunk = new_chunk(stack, wanted < (size_t)stack->chunk_size ? stack->chunk_size : wanted);
	char *base = first_object(stack, chunk);

	chunk->previous = old;
	stack->chunk = chunk;
	memcpy(base, stack->object_base, size);
	if (!stack->maybe_empty && stack->object_base == first_object(stack, old)) {
		chunk->previous = old->previous;
		release(stack, old);
	}
	stack->object_base = base;
	stack->next_free = base + size;
	stack->maybe_empty = 0;
}

static int holds(struct chunk *chunk, char *object)
{
	return (char *)chunk < object && object <= chunk->limit;
}

int _obstack_allocated_p(struct obstack *stack, void *object)
{
	struct chunk *chunk = stack->chunk;
	while (chunk && !holds(chunk, object)) chunk = chunk->previous;
	return chunk != 0;
}

void _obstack_free(struct obstack *stack, void *object)
{
	struct chunk *chunk = stack->chunk;
	while (chunk && !holds(chunk, object)) {
		struct chunk *previous = chunk->previous;
		release(stack, chunk);
		chunk = previous;
		stack->maybe_empty = 1;
	}
	if (chunk) {
		stack->object_base = stack->next_free = object;
		stack->chunk_limit = chunk->limit;
		stack->chunk = chunk;
	} else if (object) {
		abort();
	}
}

void obstack_free(struct obstack *stack, void *object)
{
	_obstack_free(stack, object);
}

int _obstack_memory_used(struct obstack *stack)
{
	int bytes = 0;
	for (struct chunk *chunk = stack->chunk; chunk; chunk = chunk->previous) bytes += chunk->limit - (char *)chunk;
	return bytes;
}

int obstack_vprintf(struct obstack *stack, const char *format, va_list arguments)
{
	char *text;
	int length = vasprintf(&text, format, arguments);
	if (length < 0) return length;
	if (stack->chunk_limit - stack->next_free < length) _obstack_newchunk(stack, length);
	memcpy(stack->next_free, text, length);
	stack->next_free += length;
	free(text);
	return length;
}

int obstack_printf(struct obstack *stack, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = obstack_vprintf(stack, format, arguments);
	va_end(arguments);
	return length;
}

int __obstack_vprintf_chk(struct obstack *stack, int flag, const char *format, va_list arguments)
{
	return obstack_vprintf(stack, format, arguments);
}

int __obstack_printf_chk(struct obstack *stack, int flag, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = obstack_vprintf(stack, format, arguments);
	va_end(arguments);
	return length;
}
