/* musl's internal locks as hooks, so that the scheduler sees one lock and not loops over futexes.
 *
 * __symx_lock waits until the word is 0 and then stores the caller's tid in it; __symx_unlock stores 0 and wakes the
 * waiters. Both order memory as a mutex does. __symx_lock_stream locks unless the caller has the word already, or it is
 * negative, which marks a stream without a lock; __symx_try_lock does not wait. Both answer whether they locked. */
#include "stdio_impl.h"
#include "pthread_impl.h"

void __symx_lock(volatile int *word);
void __symx_unlock(volatile int *word);
int __symx_lock_stream(volatile int *word);
int __symx_try_lock(volatile int *word);

void __lock(volatile int *word)
{
	__symx_lock(word);
}

void __unlock(volatile int *word)
{
	__symx_unlock(word);
}

/* Answers whether the caller has to unlock: a FILE already held by this thread stays held. */
int __lockfile(FILE *file)
{
	return __symx_lock_stream(&file->lock);
}

void __unlockfile(FILE *file)
{
	__symx_unlock(&file->lock);
}

/* The count of flockfile's calls belongs to the thread that has the lock. */
void flockfile(FILE *file)
{
	__lockfile(file);
	file->lockcount++;
}

int ftrylockfile(FILE *file)
{
	if (!__symx_try_lock(&file->lock)) return -1;
	file->lockcount++;
	return 0;
}

void funlockfile(FILE *file)
{
	if (--file->lockcount == 0) __unlockfile(file);
}

/* The list of threads and the map of memory belong to symx; nothing in libc has to keep others away from them. */
volatile int __thread_list_lock;
void __tl_lock(void) {}
void __tl_unlock(void) {}
void __vm_lock(void) {}
void __vm_unlock(void) {}
void __vm_wait(void) {}
void __inhibit_ptc(void) {}
void __release_ptc(void) {}

/* Meant to run `action` once in every thread, because the kernel keeps user ids a thread; symx keeps them a process. */
void __synccall(void (*action)(void *), void *argument)
{
	action(argument);
}
