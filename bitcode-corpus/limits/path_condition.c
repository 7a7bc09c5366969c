// Three loops in each other with bounds that are inputs: the path condition grows without bound.
// quick
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned sum = 0;
    for (unsigned i = 0, n = __VERIFIER_nondet_uint(); i < n; i++)
        for (unsigned j = 0, m = __VERIFIER_nondet_uint(); j < m; j++)
            for (unsigned k = 0, l = __VERIFIER_nondet_uint(); k < l; k++) sum += k;
    return sum == 7;
}
