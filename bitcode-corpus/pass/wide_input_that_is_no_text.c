// A byte that begins no character: the stream has an error, and no end.
//@ native
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    FILE *file = tmpfile();
    fputs("a\xff", file);
    rewind(file);
    FILE *wide = fdopen(fileno(file), "r");
    int count = 0;
    while (fgetwc(wide) != WEOF)
        count++;
    printf("%d %d %d %d\n", count, errno == EILSEQ, ferror(wide) != 0, feof(wide) != 0);
    return 0;
}
