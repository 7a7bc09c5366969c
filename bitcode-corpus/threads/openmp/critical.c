// OpenMP: a critical section keeps threads apart, one of them enters a single region, and what that has goes to all.
//@ cflags: -fopenmp
//@ outcomes: 2,1,14
#include <omp.h>
#include <stdio.h>

int main(void) {
    int count = 0, singles = 0, sum = 0;
#pragma omp parallel num_threads(2)
    {
        int own;
#pragma omp critical
        count++;
#pragma omp single copyprivate(own)
        {
            singles++;
            own = 7;
        }
#pragma omp atomic
        sum += own;
    }
    printf("%d,%d,%d\n", count, singles, sum);
    return 0;
}
