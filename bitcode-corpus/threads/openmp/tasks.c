// OpenMP: tasks run at the same time, and a taskwait waits for those that were made.
//@ cflags: -fopenmp
//@ outcomes: 3,1
#include <omp.h>
#include <stdio.h>

int main(void) {
    int sum = 0, complete = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task shared(sum)
        {
#pragma omp atomic
            sum += 1;
        }
#pragma omp task shared(sum)
        {
#pragma omp atomic
            sum += 2;
        }
#pragma omp taskwait
        complete = sum == 3;
    }
    printf("%d,%d\n", sum, complete);
    return 0;
}
