// A buffer said to be larger than it is: what comes does not fit.
#include <unistd.h>

int main(void) {
    char buffer[8];
    int ends[2];
    pipe(ends);
    write(ends[1], "0123456789", 10);
    read(ends[0], buffer, 1024); //~ ERROR: out of bounds: write of 10 bytes at offset 0 of `buffer`
    return 0;
}
