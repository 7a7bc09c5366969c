// A file of almost four gigabytes that is read whole.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int file = open("stretched", O_RDWR | O_CREAT, 0600);
    size_t size = (4ul << 30) - 4096;
    if (ftruncate(file, size) != 0) return 0;
    char *all = malloc(size);
    return read(file, all, size) < 0;
}
