// Queries of middling hardness without end.
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned found = 0;
    for (;;) {
        unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
        if (x * y == 1000003u + found && x > 1 && y > 1) found++;
    }
}
