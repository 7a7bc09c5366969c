/* New processes. One that shares its memory with another is refused by name: the kernel interface says so. */
#include <errno.h>
#include "syscall.h"

int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	return __syscall(SYS_clone, flags, stack);
}

/* The child of posix_spawn, and so of popen and system. It only reads what it shares with its parent, so a copy will do.
 * The parent waits until the child has executed a program or ended. By a pipe the child says what failed. */
int __clone_to_spawn(int (*function)(void *), void *stack, int flags, void *argument)
{
	int process = __syscall(SYS_vfork);
	if (!process) __syscall(SYS_exit_group, function(argument));
	return process;
}
