/* musl's internal locks as two hooks, so that the scheduler sees one lock and not loops over futexes.
 *
 * __symx_lock waits until the word is 0 and then stores the caller's tid in it; __symx_unlock stores 0 and wakes the
 * waiters. Both order memory as a mutex does. */
#include "stdio_impl.h"
#include "pthread_impl.h"

void __symx_lock(volatile int *word);
void __symx_unlock(volatile int *word);

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
	if (file->lock == __pthread_self()->tid) return 0;
	__symx_lock(&file->lock);
	return 1;
}

void __unlockfile(FILE *file)
{
	__symx_unlock(&file->lock);
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
