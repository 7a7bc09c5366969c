// strtol and strtoul: bases, prefixes, end pointers and overflow.
//@ cflags: -fno-builtin
//@ native
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *end;
    printf("%ld %s\n", strtol("  -42rest", &end, 10), end);
    printf("%ld %ld %ld\n", strtol("0x1f", NULL, 0), strtol("017", NULL, 0), strtol("z", NULL, 36));
    errno = 0;
    printf("%ld %d\n", strtol("99999999999999999999", NULL, 10), errno == ERANGE);
    printf("%ld\n", strtol("-99999999999999999999", NULL, 10));
    printf("%lu %d\n", strtoul("18446744073709551615", NULL, 10), atoi("12x"));
    strtol("none", &end, 10);
    printf("%s\n", end);
    return 0;
}
