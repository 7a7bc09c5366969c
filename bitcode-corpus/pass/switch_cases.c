// Dense, sparse, 64-bit and fall-through switches.
//@ native
#include <stdio.h>

__attribute__((noinline)) static int dense(int n) {
    switch (n) {
    case 0: return 10;
    case 1: return 21;
    case 2: return 5;
    case 3: return 99;
    case 4: return -4;
    case 5: return 77;
    default: return 0;
    }
}

__attribute__((noinline)) static int sparse(long n) {
    switch (n) {
    case -5: return 1;
    case 1000: return 2;
    case 1L << 40: return 3;
    case 200 ... 300: return 4;
    default: return 5;
    }
}

__attribute__((noinline)) static int falling(char c) {
    int n = 0;
    switch (c) {
    case 'a':
        n += 1;
        __attribute__((fallthrough));
    case 'b':
        n += 10;
        break;
    default:
        n = 7;
    }
    return n;
}

int main(void) {
    for (int i = -1; i < 7; i++)
        printf("%d ", dense(i));
    printf("\n%d %d %d %d %d %d\n", sparse(-5), sparse(1000), sparse(1L << 40), sparse(250), sparse(301),
           sparse(0));
    printf("%d %d %d\n", falling('a'), falling('b'), falling('c'));
    return 0;
}
