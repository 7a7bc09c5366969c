// The end of an atomic section that the thread is not in.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int main(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_end(); //~ ERROR: end of an atomic section the thread is not in
    return 0;
}
