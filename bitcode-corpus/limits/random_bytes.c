// A read of three gigabytes from a device.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    size_t size = 3ul << 30;
    char *block = malloc(size);
    int zero = open("/dev/zero", O_RDONLY);
    return read(zero, block, size) < 0;
}
