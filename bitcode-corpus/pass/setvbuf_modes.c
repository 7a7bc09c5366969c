// Unbuffered, line-buffered and fully buffered output reach stdout in program order.
//@ native
#include <stdio.h>

static char space[64];

int main(void) {
    setvbuf(stdout, space, _IOFBF, sizeof space);
    printf("full ");
    fflush(stdout);
    for (int i = 0; i < 20; i++)
        printf("%d,", i * 1000);
    printf("\n");
    fputs("puts\n", stdout);
    putchar('c');
    putc('\n', stdout);
    puts("end");
    return 0;
}
