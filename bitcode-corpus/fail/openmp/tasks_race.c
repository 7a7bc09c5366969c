// OpenMP: two tasks of one thread are not ordered.
//@ cflags: -fopenmp
#include <assert.h>
#include <omp.h>

static volatile int count;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        count = count + 1;
#pragma omp task
        count = count + 1;
    }
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
