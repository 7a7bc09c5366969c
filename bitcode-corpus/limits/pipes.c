// Pipes without end, each full.
#include <unistd.h>
static char block[1 << 16] = {1};
int main(void) {
    for (;;) {
        int ends[2];
        if (pipe(ends) != 0) return 0;
        if (write(ends[1], block, sizeof block) < 0) return 0;
    }
}
