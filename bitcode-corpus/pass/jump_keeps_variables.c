// In code that is not optimised a variable changed after setjmp keeps its value over longjmp, as natively.
//@ native
//@ cflags: -O0
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf buffer;
static void *point[5];

static void leave(void) {
    void *copy[5];
    memcpy(copy, point, sizeof copy);
    memset(point, 0, sizeof point);
    __builtin_longjmp(copy, 1);
}

int main(void) {
    int changed = 0, again = 0;
    if (setjmp(buffer) == 0) {
        changed = 7;
        longjmp(buffer, 1);
    }
    if (__builtin_setjmp(point) == 0) {
        again = 8;
        leave();
    }
    printf("%d %d\n", changed, again);
    return 0;
}
