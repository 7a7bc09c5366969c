// sscanf: integers, words, sets, widths, skipped fields and the number of matches.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>

int main(void) {
    int a = 0, b = 0, end = 0;
    unsigned hex = 0;
    char word[16] = "", set[16] = "";
    double x = 0;
    printf("%d\n", sscanf("12 -34 ff", "%d %d %x", &a, &b, &hex));
    printf("%d %d %u\n", a, b, hex);
    printf("%d\n", sscanf("key=value;rest", "%15[^=]=%5[a-z];%n", word, set, &end));
    printf("%s %s %d\n", word, set, end);
    printf("%d\n", sscanf("1.5e2 skip 7", "%lf %*s %d", &x, &a));
    printf("%.1f %d\n", x, a);
    printf("%d %d\n", sscanf("none", "%d", &a), sscanf("", "%d", &a));
    return 0;
}
