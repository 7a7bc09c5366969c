// A megabyte of symbolic input.
// options: --sym-stdin 1048576
// quick
#include <unistd.h>
int main(void) {
    char first;
    if (read(0, &first, 1) != 1) return 2;
    return first == 7;
}
