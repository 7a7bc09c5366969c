// OpenMP: how a taskloop shares iterations out: upwards and downwards, by size, by number, strictly, none at all.
//@ cflags: -fopenmp -fopenmp-version=52
//@ outcomes: 01234567899-963-02468-012345-01234567-.
#include <omp.h>
#include <stdio.h>

int main(void) {
#pragma omp parallel num_threads(1)
    {
        int last = 0;
#pragma omp taskloop grainsize(3) lastprivate(last)
        for (int i = 0; i < 10; i++) {
            printf("%d", i);
            last = i;
        }
        printf("%d-", last);
#pragma omp taskloop num_tasks(2)
        for (int i = 9; i > 0; i -= 3)
            printf("%d", i);
        printf("-");
#pragma omp taskloop num_tasks(99)
        for (unsigned long i = 0; i < 10; i += 2)
            printf("%lu", i);
        printf("-");
#pragma omp taskloop grainsize(strict : 4)
        for (int i = 0; i < 6; i++)
            printf("%d", i);
        printf("-");
#pragma omp taskloop num_tasks(strict : 3) if (0)
        for (int i = 0; i < 8; i++)
            printf("%d", i);
        printf("-");
#pragma omp taskloop
        for (int i = 4; i < 4; i++)
            printf("%d", i);
        printf(".\n");
    }
    return 0;
}
