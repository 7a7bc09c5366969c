// Anonymous mappings without end, written to.
#include <string.h>
#include <sys/mman.h>
int main(void) {
    for (;;) {
        void *map = mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) return 0;
        memset(map, 1, 1 << 24);
    }
}
