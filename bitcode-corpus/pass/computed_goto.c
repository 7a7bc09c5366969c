// Labels as values: a dispatch table of addresses, one of distances, and a jump back through a builtin.
//@ native
#include <stdio.h>

static int interpret(const unsigned char *code) {
    static void *const table[] = {&&push, &&add, &&multiply, &&stop};
    int stack[8], depth = 0;
    goto *table[*code++];
push:
    stack[depth++] = *code++;
    goto *table[*code++];
add:
    depth--;
    stack[depth - 1] += stack[depth];
    goto *table[*code++];
multiply:
    depth--;
    stack[depth - 1] *= stack[depth];
    goto *table[*code++];
stop:
    return stack[0];
}

static int relative(int which) {
    static const int distances[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero};
    goto *(&&zero + distances[which]);
zero:
    return 10;
one:
    return 11;
two:
    return 12;
}

static void *buffer[5];

__attribute__((noinline)) static void leave(void) {
    __builtin_longjmp(buffer, 1);
}

int main(void) {
    const unsigned char code[] = {0, 2, 0, 3, 1, 0, 7, 2, 3};
    printf("%d\n", interpret(code));
    printf("%d %d %d\n", relative(0), relative(1), relative(2));
    volatile int times = 0;
    if (__builtin_setjmp(buffer) == 0) {
        times++;
        leave();
    }
    printf("back after %d\n", times);
    return 0;
}
