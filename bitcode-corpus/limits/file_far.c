// One byte far past the end of a file.
// quick
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int file = open("far", O_RDWR | O_CREAT, 0600);
    lseek(file, 1L << 45, SEEK_SET);
    return write(file, "x", 1) != 1;
}
