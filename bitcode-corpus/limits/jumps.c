// Frames left by jumps, again and again.
#include <setjmp.h>
#include <string.h>
static jmp_buf place;
static void leaves(int depth) {
    volatile char here[4096];
    memset((char *)here, depth, sizeof here);
    if (depth == 100) longjmp(place, 1);
    leaves(depth + 1);
    here[0]++;
}
int main(void) {
    for (;;)
        if (setjmp(place) == 0) leaves(0);
}
