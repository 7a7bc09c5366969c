// A thread that forks again and again and comes to no visible step: what is copied is not defined.
// options: --undefined uninitialised=ignore
#include <stdlib.h>
int main(void) {
    volatile unsigned sum = 0;
    for (;;) {
        unsigned *place = malloc(sizeof *place);
        if (*place & 1) sum++;
        free(place);
    }
}
