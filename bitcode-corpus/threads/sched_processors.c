// A process may use at least one processor, runs on one of them, and may choose among them.
//@ outcomes: 1,0,1,1
//@ native
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

int main(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    printf("%d", sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0);
    printf(",%d", sched_setaffinity(0, sizeof set, &set));
    int processor = sched_getcpu();
    printf(",%d,%d\n", processor >= 0, CPU_ISSET(processor, &set) != 0);
    return 0;
}
