/* Every system call is one call of a hook: the kernel interface that symx models. Unused arguments are zero. The hook
 * answers as the kernel does, with -errno for an error. No vDSO: time comes from the model too. */
long __symx_syscall(long number, long a, long b, long c, long d, long e, long f);
/* The same at a cancellation point. */
long __symx_syscall_cp(long number, long a, long b, long c, long d, long e, long f);

#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)
#define IPC_64 0

static inline long __syscall0(long n)
{
	return __symx_syscall(n, 0, 0, 0, 0, 0, 0);
}

static inline long __syscall1(long n, long a)
{
	return __symx_syscall(n, a, 0, 0, 0, 0, 0);
}

static inline long __syscall2(long n, long a, long b)
{
	return __symx_syscall(n, a, b, 0, 0, 0, 0);
}

static inline long __syscall3(long n, long a, long b, long c)
{
	return __symx_syscall(n, a, b, c, 0, 0, 0);
}

static inline long __syscall4(long n, long a, long b, long c, long d)
{
	return __symx_syscall(n, a, b, c, d, 0, 0);
}

static inline long __syscall5(long n, long a, long b, long c, long d, long e)
{
	return __symx_syscall(n, a, b, c, d, e, 0);
}

static inline long __syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	return __symx_syscall(n, a, b, c, d, e, f);
}
