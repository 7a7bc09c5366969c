/* The open streams as hooks: musl's own list would put all who open or close one into one order.
 *
 * __symx_next_stream answers the stream after the one given, the first one for none, and none after the last; the caller
 * has locked. */
#include "pthread_impl.h"
#include "stdio_impl.h"

void __symx_stream_opened(volatile int *lock, FILE *file);
void __symx_stream_closed(volatile int *lock, FILE *file);
void __symx_lock_streams(volatile int *lock);
void __symx_unlock_streams(volatile int *lock);
FILE *__symx_next_stream(FILE *file);
int __symx_try_lock(volatile int *word);

static volatile int lock;

FILE *__ofl_add(FILE *file)
{
	__symx_stream_opened(&lock, file);
	return file;
}

void __ofl_remove(FILE *file)
{
	__symx_stream_closed(&lock, file);
}

FILE *__ofl_first(void)
{
	__symx_lock_streams(&lock);
	return __symx_next_stream(0);
}

FILE *__ofl_next(FILE *file)
{
	return __symx_next_stream(file);
}

void __ofl_unlock(void)
{
	__symx_unlock_streams(&lock);
}

/* What the thread has locked for a call that ends by its being cancelled; flockfile's locks stay, as glibc's do. */
static void leave_locks(void *argument)
{
	FILE *file = argument;
	if (file->lock > 0 && __symx_try_lock(&file->lock) && !file->lockcount) __unlockfile(file);
	if (lock > 0 && __symx_try_lock(&lock)) __symx_unlock_streams(&lock);
}

/* A system call on a stream's file, at which the thread may be cancelled. */
long __stdio_call(FILE *file, long number, long what, long count)
{
	long result;
	pthread_cleanup_push(leave_locks, file);
	result = __syscall_cp(number, file->fd, what, count);
	pthread_cleanup_pop(0);
	return __syscall_ret(result);
}
