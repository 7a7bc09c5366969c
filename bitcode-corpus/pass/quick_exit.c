// quick_exit runs its own handlers, last in, first out. What a stream holds back stays unwritten.
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void told(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) abort();
}

static void first(void) {
    told("first\n");
}

static void second(void) {
    told("second\n");
}

static void at_plain_exit(void) {
    told("exit\n");
}

int main(void) {
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    atexit(at_plain_exit);
    at_quick_exit(first);
    at_quick_exit(second);
    printf("held back\n");
    quick_exit(3);
}
