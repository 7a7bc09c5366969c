// scanf: numbers in every base, floats, words, sets, widths, suppression, positions, failures.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int a, b, c, n;
    unsigned u;
    long l;
    double d;
    float f;
    long double e;
    char word[16], set[16], letters[4] = "", *grown;
    printf("%d", sscanf("12 0x1f 017", "%d %i %i", &a, &b, &c));
    printf(" %d %d %d\n", a, b, c);
    printf("%d", sscanf("ff 77 -5", "%x %o %ld", &u, (unsigned *)&a, &l));
    printf(" %u %d %ld\n", u, a, l);
    printf("%d", sscanf("1.5e3 -2.25 0x1p4", "%lf %f %Lf", &d, &f, &e));
    printf(" %g %g %Lg\n", d, f, e);
    printf("%d", sscanf("inf nan infinity", "%lf %f %Lf", &d, &f, &e));
    printf(" %g %g %Lg\n", d, f, e);
    printf("%d", sscanf("hello abc123 xyz", "%15s %[a-c]%n%*d %3c", word, set, &n, letters));
    printf(" %s %s %d %s\n", word, set, n, letters);
    printf("%d\n", sscanf("12345", "%2d%1d%d", &a, &b, &c));
    printf("%d %d %d\n", a, b, c);
    printf("%d\n", sscanf("x", "%d", &a));
    printf("%d\n", sscanf("", "%d", &a));
    printf("%d\n", sscanf("5 %", "%d %%", &a));
    printf("%d\n", sscanf("a,b", "%[^,],%s", word, set));
    printf("%d %s\n", sscanf("allocated word", "%ms", &grown), grown);
    free(grown);
    printf("%d\n", sscanf("1 2 3", "%*d %d", &a));
    short s;
    signed char hh;
    printf("%d %d %d\n", sscanf("70000 300", "%hd %hhd", &s, &hh), s, hh);
    char *end;
    printf("%g %s\n", strtod("  0x1.8p1zz", &end), end);
    printf("%ld %s\n", strtol("0x1G", &end, 0), end);
    printf("%lu\n", strtoul("-1", &end, 10));
    return 0;
}
