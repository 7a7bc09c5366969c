// Labels as values: an interpreter loop dispatched through a table of addresses.
//@ native
#include <stdio.h>

static int interpret(const unsigned char *code) {
    static const void *const labels[] = {&&halt, &&increment, &&twice, &&decrement};
    int value = 1;
    goto *labels[*code];
increment:
    value++;
    goto *labels[*++code];
twice:
    value *= 2;
    goto *labels[*++code];
decrement:
    value--;
    goto *labels[*++code];
halt:
    return value;
}

int main(void) {
    const unsigned char code[] = {1, 2, 2, 3, 2, 0};
    printf("%d\n", interpret(code));
    return 0;
}
