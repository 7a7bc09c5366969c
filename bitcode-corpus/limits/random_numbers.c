// Three gigabytes of random bytes in one call.
#include <stdlib.h>
#include <sys/random.h>
int main(void) {
    size_t size = 3ul << 30;
    char *bytes = malloc(size);
    return getrandom(bytes, size, 0) < 0;
}
