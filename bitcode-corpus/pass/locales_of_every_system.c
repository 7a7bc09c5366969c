// A locale that is not installed is refused; C, POSIX and C.UTF-8 are there.
//@ native
#include <locale.h>
#include <stdio.h>

int main(void) {
    const char *names[] = {"C", "POSIX", "C.UTF-8", "C.utf8", "xx_YY.UTF-8", "none", "a/b", "."};
    for (int i = 0; i < 8; i++)
        printf("%d%d ", setlocale(LC_ALL, names[i]) != NULL, newlocale(LC_ALL_MASK, names[i], NULL) != NULL);
    return 0;
}
