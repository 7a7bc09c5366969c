/* longjmp out of nested calls, three times, into a loop around setjmp. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static volatile int depth_reached;

static void deep(int n) {
    if (n == 0) longjmp(back, ++depth_reached);
    deep(n - 1);
}

static int after(int x) { return x > 2 ? printf("done\n") : 0; }

int main(void) {
    int code = setjmp(back);
    if (code < 3) deep(code + 1);
    after(code);
    return 0;
}
