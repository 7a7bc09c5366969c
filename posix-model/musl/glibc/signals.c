/* What glibc's headers declare about signals and musl lacks: older names of the same operations, and `tgkill`. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The numbers of the first 32 signals, a bit each, are a set of these interfaces. */
static int first_of(const sigset_t *set)
{
	return (int)set->__bits[0];
}

static int change_mask(int how, int mask)
{
	sigset_t set, old;
	sigemptyset(&set);
	set.__bits[0] = (unsigned)mask;
	return sigprocmask(how, &set, &old) ? -1 : first_of(&old);
}

int sigblock(int mask)
{
	return change_mask(SIG_BLOCK, mask);
}

int sigsetmask(int mask)
{
	return change_mask(SIG_SETMASK, mask);
}

int siggetmask(void)
{
	return sigblock(0);
}

int __xpg_sigpause(int signal)
{
	sigset_t mask;
	sigprocmask(SIG_BLOCK, 0, &mask);
	return sigdelset(&mask, signal) ? -1 : sigsuspend(&mask);
}

int gsignal(int number)
{
	return raise(number);
}

void (*ssignal(int number, void (*handler)(int)))(int)
{
	return signal(number, handler);
}

/* The handler is reset before it runs, and its signal is not blocked meanwhile. */
void (*__sysv_signal(int number, void (*handler)(int)))(int)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESETHAND | SA_NODEFER }, old;
	return sigaction(number, &new, &old) ? SIG_ERR : old.sa_handler;
}

void (*sysv_signal(int number, void (*handler)(int)))(int)
{
	return __sysv_signal(number, handler);
}

int tgkill(pid_t process, pid_t thread, int number)
{
	return syscall(SYS_tgkill, process, thread, number);
}
