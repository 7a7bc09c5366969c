// Functions that libc has under an alias work on symbolic bytes, too.
//@ outcomes: 0 0a 1 1a 1b 2 2a 2b 2ab
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

void klee_make_symbolic(void *object, unsigned long size, const char *name);

int main(void) {
    char text[3], copy[3];
    klee_make_symbolic(text, sizeof text, "text");
    text[2] = 0;
    char *end = stpcpy(copy, text);
    printf("%d%s%s\n", (int)(end - copy), memrchr(text, 'a', 2) ? "a" : "", *strchrnul(text, 'b') ? "b" : "");
    return 0;
}
