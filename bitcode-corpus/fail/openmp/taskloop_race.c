// OpenMP: the tasks of a taskloop are not ordered, but with its end.
//@ cflags: -fopenmp
#include <assert.h>
#include <omp.h>

static volatile int count;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop num_tasks(2)
        for (int i = 0; i < 2; i++)
            count = count + 1;
        assert(count == 2); //~ ERROR: assertion failed
    }
    return 0;
}
