/* musl's atomic primitives as LLVM atomic instructions, all sequentially consistent, as the x86 originals are. The
 * rest of musl's primitives are derived from these by its own internal/atomic.h. */

#define a_cas a_cas
static inline int a_cas(volatile int *location, int expected, int desired)
{
	__atomic_compare_exchange_n(location, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return expected;
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *location, void *expected, void *desired)
{
	__atomic_compare_exchange_n((void *volatile *)location, &expected, desired, 0, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST);
	return expected;
}

#define a_swap a_swap
static inline int a_swap(volatile int *location, int value)
{
	return __atomic_exchange_n(location, value, __ATOMIC_SEQ_CST);
}

#define a_fetch_add a_fetch_add
static inline int a_fetch_add(volatile int *location, int value)
{
	return __atomic_fetch_add(location, value, __ATOMIC_SEQ_CST);
}

#define a_fetch_and a_fetch_and
static inline int a_fetch_and(volatile int *location, int value)
{
	return __atomic_fetch_and(location, value, __ATOMIC_SEQ_CST);
}

#define a_fetch_or a_fetch_or
static inline int a_fetch_or(volatile int *location, int value)
{
	return __atomic_fetch_or(location, value, __ATOMIC_SEQ_CST);
}

#define a_and_64 a_and_64
static inline void a_and_64(volatile uint64_t *location, uint64_t value)
{
	__atomic_fetch_and(location, value, __ATOMIC_SEQ_CST);
}

#define a_or_64 a_or_64
static inline void a_or_64(volatile uint64_t *location, uint64_t value)
{
	__atomic_fetch_or(location, value, __ATOMIC_SEQ_CST);
}

#define a_store a_store
static inline void a_store(volatile int *location, int value)
{
	__atomic_store_n(location, value, __ATOMIC_SEQ_CST);
}

#define a_barrier a_barrier
static inline void a_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define a_crash a_crash
static inline void a_crash(void)
{
	__builtin_trap();
}

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t value)
{
	return __builtin_ctzll(value);
}

#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t value)
{
	return __builtin_clzll(value);
}
