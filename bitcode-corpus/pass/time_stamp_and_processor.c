// A time stamp may come with the number of the processor.
//@ outcomes: 1,1
#include <stdio.h>
#include <x86intrin.h>

int main(void) {
    unsigned first, second;
    unsigned long long before = __rdtscp(&first), after = __rdtscp(&second);
    printf("%d,%d\n", before < after, first == second);
    return 0;
}
