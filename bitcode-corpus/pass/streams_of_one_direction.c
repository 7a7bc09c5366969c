// A stream that is not open for reading or writing: an error with its reason.
//@ native
#include <errno.h>
#include <stdio.h>

int main(void) {
    FILE *source = fopen("/dev/null", "r"), *sink = fopen("/dev/null", "w");
    errno = 0;
    printf("%d ", fputc('a', source) == EOF);
    printf("%d %d\n", errno == EBADF, ferror(source) != 0);
    errno = 0;
    printf("%d ", fgetc(sink) == EOF);
    printf("%d %d\n", errno == EBADF, ferror(sink) != 0);
    return 0;
}
