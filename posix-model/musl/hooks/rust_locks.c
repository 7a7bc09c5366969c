/* What is left in a program of operations on locks of Rust's standard library where those were inlined, for runs in which
 * they are not modelled: each does what the access did, and answers the word as it was. */
static inline unsigned exchanged(unsigned *word, unsigned expected, unsigned new)
{
	__atomic_compare_exchange_n(word, &expected, new, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	return expected;
}

unsigned __symx_rust_lock(unsigned *word, unsigned expected, unsigned new)
{
	return exchanged(word, expected, new);
}

unsigned __symx_rust_try_lock(unsigned *word, unsigned expected, unsigned new)
{
	return exchanged(word, expected, new);
}

unsigned __symx_rust_unlock(unsigned *word, unsigned new)
{
	return __atomic_exchange_n(word, new, __ATOMIC_RELEASE);
}

unsigned __symx_rust_look(unsigned *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

unsigned __symx_rust_read(unsigned *word, unsigned expected, unsigned new)
{
	return exchanged(word, expected, new);
}

unsigned __symx_rust_try_read(unsigned *word)
{
	return __symx_rust_look(word);
}

unsigned __symx_rust_write(unsigned *word, unsigned expected, unsigned new)
{
	return exchanged(word, expected, new);
}

unsigned __symx_rust_try_write(unsigned *word)
{
	return __symx_rust_look(word);
}

unsigned __symx_rust_take(unsigned *word, unsigned expected, unsigned new)
{
	return exchanged(word, expected, new);
}

unsigned __symx_rust_release(unsigned *word, unsigned by)
{
	return __atomic_fetch_sub(word, by, __ATOMIC_RELEASE);
}
