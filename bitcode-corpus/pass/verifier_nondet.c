// Every input of SV-COMP has any value of its type and no other.
#include <assert.h>
#include <stdbool.h>

extern bool __VERIFIER_nondet_bool(void);
extern signed char __VERIFIER_nondet_char(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern void __VERIFIER_assume(int);

int main(void) {
    bool flag = __VERIFIER_nondet_bool();
    assert((int)flag == 0 || (int)flag == 1);
    assert(__VERIFIER_nondet_char() <= 127);
    assert(__VERIFIER_nondet_ushort() <= 65535);
    unsigned long number = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(number > 1UL << 40);
    assert(number != 5);
    char *pointer = __VERIFIER_nondet_pointer();
    struct { int a; char b; } pair = {1, 2};
    __VERIFIER_nondet_memory(&pair, sizeof pair);
    if (pointer == 0 && pair.a == 77 && flag)
        return 1;
    return 0;
}
