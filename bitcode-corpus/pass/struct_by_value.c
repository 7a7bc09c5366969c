// Structs passed and returned by value: in registers, in memory, copied not shared.
//@ native
#include <stdio.h>

struct small {
    int a;
    char b;
};

struct mixed {
    double x;
    long n;
};

struct large {
    int cells[10];
};

static struct small flip(struct small s) {
    s.a = -s.a;
    s.b++;
    return s;
}

static struct mixed scale(struct mixed m, int by) {
    return (struct mixed){m.x * by, m.n * by};
}

__attribute__((noinline)) static struct large fill(struct large l, int value) {
    for (int i = 0; i < 10; i += 2)
        l.cells[i] = value;
    return l;
}

int main(void) {
    struct small s = {5, 'x'};
    struct small f = flip(s);
    printf("%d %c %d %c\n", s.a, s.b, f.a, f.b);
    struct mixed m = scale((struct mixed){1.5, 7}, 3);
    printf("%.1f %ld\n", m.x, m.n);
    struct large zero = {{0}};
    struct large filled = fill(zero, 6);
    printf("%d %d %d\n", zero.cells[4], filled.cells[4], filled.cells[5]);
    return 0;
}
