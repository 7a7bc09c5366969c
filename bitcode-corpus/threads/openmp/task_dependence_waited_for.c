// OpenMP: a task that is not deferred waits for those that write what it reads, in their order.
//@ cflags: -fopenmp
//@ outcomes: 12
#include <omp.h>
#include <stdio.h>

static int value, result;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : value)
        value = 5;
#pragma omp task depend(inout : value)
        value++;
#pragma omp task depend(in : value) if (0)
        result = 2 * value;
    }
    printf("%d\n", result);
    return 0;
}
