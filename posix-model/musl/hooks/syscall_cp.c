/* Cancellation points. Whether a thread is cancelled there is decided by symx at the call; libc only passes it on. */
#include "pthread_impl.h"
#include "syscall.h"

long (__syscall_cp)(syscall_arg_t number, syscall_arg_t a, syscall_arg_t b, syscall_arg_t c, syscall_arg_t d,
	syscall_arg_t e, syscall_arg_t f)
{
	return __symx_syscall_cp(number, a, b, c, d, e, f);
}
