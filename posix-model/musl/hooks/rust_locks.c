/* What is left in a program of operations on locks of Rust's standard library where those were inlined, for runs in which
 * they are not modelled: each does what the operation did, and answers the word as it was. */
unsigned __symx_rust_lock(unsigned *word)
{
	unsigned found = 0;
	__atomic_compare_exchange_n(word, &found, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	return found;
}

unsigned __symx_rust_try_lock(unsigned *word)
{
	return __symx_rust_lock(word);
}

unsigned __symx_rust_unlock(unsigned *word)
{
	return __atomic_exchange_n(word, 0, __ATOMIC_RELEASE);
}
