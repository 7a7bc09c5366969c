// memcpy, memmove over overlapping bytes both ways, memset and memchr.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <string.h>

int main(void) {
    char bytes[] = "0123456789";
    memmove(bytes + 2, bytes, 5);
    printf("%s\n", bytes);
    memcpy(bytes, "0123456789", 10);
    memmove(bytes, bytes + 3, 6);
    printf("%s\n", bytes);
    memset(bytes + 4, 'x', 3);
    printf("%s %td\n", bytes, (char *)memchr(bytes, 'x', 10) - bytes);
    printf("%d\n", memchr(bytes, 'y', 10) == NULL);
    return 0;
}
