// Arrays of more buffers than any call takes.
#include <stdlib.h>
#include <sys/uio.h>
int main(void) {
    int count = 1 << 25;
    struct iovec *vector = calloc(count, sizeof *vector);
    if (vector == NULL) return 0;
    for (;;) {
        if (writev(1, vector, count) > 0) return 1;
    }
}
