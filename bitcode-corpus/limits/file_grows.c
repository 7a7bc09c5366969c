// A file that is written to without end.
#include <fcntl.h>
#include <unistd.h>
static char block[1 << 16] = {1};
int main(void) {
    int file = open("grows", O_RDWR | O_CREAT, 0600);
    while (write(file, block, sizeof block) > 0) { }
    return 0;
}
