// The same, the oldest path first: states that are kept.
// options: --search bfs
int __VERIFIER_nondet_int(void);
int main(void) {
    static char ballast[4096];
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++)
        if (__VERIFIER_nondet_int() > i) ballast[sum++ % sizeof ballast] = 1;
    return ballast[7];
}
