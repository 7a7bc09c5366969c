// OpenMP: a task comes after the one that writes what it reads; two that read the same are not ordered.
//@ cflags: -fopenmp
//@ outcomes: 77ab 77ba
#include <omp.h>
#include <stdio.h>

static int value, seen[2], place;
static char order[3];

static void look(int who) {
    int at;
    seen[who] = value;
#pragma omp atomic capture
    at = place++;
    order[at] = (char)('a' + who);
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : value)
        value = 7;
#pragma omp task depend(in : value)
        look(0);
#pragma omp task depend(in : value)
        look(1);
    }
    printf("%d%d%s\n", seen[0], seen[1], order);
    return 0;
}
