// strcpy, strncpy, strcat, strncat, strdup and strndup, padding and terminators included.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char text[16];
    memset(text, '#', sizeof text);
    strncpy(text, "ab", 5);
    printf("%d %d %c\n", text[2], text[4], text[5]);
    strcpy(text, "one");
    strcat(text, "-two");
    strncat(text, "-three", 3);
    printf("%s\n", text);
    char *whole = strdup(text);
    char *part = strndup(text, 5);
    printf("%s %s\n", whole, part);
    free(whole);
    free(part);
    return 0;
}
