// Output without end.
// quick
#include <stdio.h>
int main(void) {
    for (long number = 0;; number++) printf("%ld: a line of some length that nobody will ever read\n", number);
}
