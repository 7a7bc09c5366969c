/* The calling thread's control block, `__symx_thread_size` bytes that symx allocates with every thread. */
uintptr_t __symx_tp(void);

static inline uintptr_t __get_tp(void)
{
	return __symx_tp();
}

#define MC_PC gregs[REG_RIP]
