/* Inputs of verification tasks that are wider than a register: two that are not. */
unsigned long __VERIFIER_nondet_ulong(void);

unsigned __int128 __VERIFIER_nondet_uint128(void)
{
	unsigned __int128 high = __VERIFIER_nondet_ulong();
	return high << 64 | __VERIFIER_nondet_ulong();
}

__int128 __VERIFIER_nondet_int128(void)
{
	return (__int128)__VERIFIER_nondet_uint128();
}
