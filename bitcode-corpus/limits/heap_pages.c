// A page after the other is touched, by plain stores.
// quick
#include <stdlib.h>
int main(void) {
    for (;;) {
        volatile char *block = malloc(1u << 30);
        for (unsigned at = 0; at < 1u << 30; at += 4096) block[at] = 1;
    }
}
