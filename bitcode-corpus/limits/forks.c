// A branch on each of a thousand inputs.
// quick
int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++)
        if (__VERIFIER_nondet_int() > i) sum += i;
    return sum & 1;
}
