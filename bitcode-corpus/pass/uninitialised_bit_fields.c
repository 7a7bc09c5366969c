// Bit-fields are set one by one in a word that begins without a value.
//@ native
//@ cflags: -O0 -Xclang -disable-O0-optnone
#include <stdio.h>

struct flags {
    unsigned a : 3, b : 5, c : 9;
};

int main(void) {
    struct flags f;
    f.a = 3;
    f.b = 7;
    f.c = 300;
    printf("%u-%u-%u\n", f.a, f.b, f.c);
    f.b = 31;
    if (f.a == 3 && f.c == 300)
        puts("kept");
    return 0;
}
