// A term that grows in each round.
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    volatile unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    for (unsigned i = 0;; i++) {
        x = x * y + (x >> 3) + i;
        y = (y ^ x) - (y << 5);
    }
}
