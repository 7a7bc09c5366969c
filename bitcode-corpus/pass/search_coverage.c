// Code not executed yet first: all paths all the same.
//@ flags: --search coverage
//@ executions: 8
#include <klee/klee.h>

static int weigh(unsigned char bits) {
    int sum = 0;
    if (bits & 1) sum += 1;
    if (bits & 2) sum *= 5;
    if (bits & 4) sum -= 3;
    return sum;
}

int main(void) {
    unsigned char bits;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    volatile int sum = 0;
    if (bits & 1) sum += weigh(1);
    if (bits & 2) sum += weigh(2);
    if (bits & 4) sum += weigh(4);
    return sum > 100;
}
