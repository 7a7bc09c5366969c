// OpenMP: threads that add to a variable without a critical section lose updates.
//@ cflags: -fopenmp
#include <assert.h>
#include <omp.h>

static volatile int count;

int main(void) {
#pragma omp parallel num_threads(2)
    count = count + 1;
    assert(count == 2); //~ ERROR: assertion failed
    return 0;
}
