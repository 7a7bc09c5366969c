// The signs that strcmp, strncmp, strcasecmp and memcmp return.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int sign(int value) {
    return (value > 0) - (value < 0);
}

int main(void) {
    printf("%d %d %d\n", sign(strcmp("abc", "abc")), sign(strcmp("abc", "abd")), sign(strcmp("b", "a")));
    printf("%d %d\n", sign(strcmp("ab", "abc")), sign(strcmp("\xff", "a")));
    printf("%d %d\n", sign(strncmp("abcx", "abcy", 3)), sign(strncmp("abcx", "abcy", 4)));
    printf("%d %d\n", sign(strcasecmp("HeLLo", "hello")), sign(strncasecmp("AB", "ac", 2)));
    printf("%d %d\n", sign(memcmp("a\0b", "a\0c", 3)), sign(memcmp("x", "y", 0)));
    return 0;
}
