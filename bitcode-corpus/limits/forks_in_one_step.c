// A thread that forks again and again, at addresses that are not defined, and comes to no visible step.
// options: --undefined uninitialised=ignore
#include <stdlib.h>
int main(void) {
    volatile char sum = 0;
    for (;;) {
        char **place = malloc(sizeof *place);
        sum += **place;
        free(place);
    }
}
