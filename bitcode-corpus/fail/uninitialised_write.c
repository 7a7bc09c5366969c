// Output of bytes nobody wrote.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *volatile text = malloc(8);
    strcpy(text, "abc");
    return write(1, text, 8) != 8; //~ ERROR: uninitialised memory: a system call depends on byte 4
}
