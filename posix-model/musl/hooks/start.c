/* What musl's start files would do, for a program that symx starts: symx calls __symx_libc_init, then the
 * constructors of the program, then main, then exit. */
#include <elf.h>
#include <stddef.h>
#include <unistd.h>
#include "stdio_impl.h"
#include "pthread_impl.h"
#include "libc.h"

#define PAGE_BYTES 4096

/* Size in bytes of a thread's control block; it must be zeroed and aligned to 16. */
const size_t __symx_thread_size = sizeof(struct pthread);

/* Fills a zeroed control block. `tid` is the thread's number towards the kernel, positive and unique: FILE locks hold
 * it. To be called for the main thread too, before __symx_libc_init. */
void __symx_thread_init(void *block, int tid)
{
	pthread_t self = block;
	self->self = self;
	self->next = self->prev = self;
	self->tid = tid;
	self->detach_state = DT_JOINABLE;
	self->locale = &libc.global_locale;
	self->robust_list.head = &self->robust_list.head;
}

/* `argv` and `envp` end with a null pointer. libc counts as threaded from the start, so that its locks never depend on
 * when the first thread appeared. */
void __symx_libc_init(int argc, char **argv, char **envp)
{
	static size_t auxiliary[] = { AT_PAGESZ, PAGE_BYTES, AT_NULL, 0 };
	static char nameless[1];
	char *name = argc > 0 && argv[0] ? argv[0] : nameless;

	__environ = envp;
	libc.auxv = auxiliary;
	libc.page_size = PAGE_BYTES;
	libc.can_do_threads = 1;
	libc.threaded = 1;
	libc.need_locks = 1;
	__progname = __progname_full = name;
	for (; *name; name++)
		if (*name == '/') __progname = name + 1;
}

/* Called by exit after the atexit handlers and before stdio is flushed. */
void __symx_run_destructors(void);

void __libc_exit_fini(void)
{
	__symx_run_destructors();
}
