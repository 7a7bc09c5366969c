// A branch on a term of two hundred thousand operations.
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    volatile unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < 100000; i++) x = (x ^ y) * 3 + (x >> 7);
    return x == 12345 ? 1 : 0;
}
