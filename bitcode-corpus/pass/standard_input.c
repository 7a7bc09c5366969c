// Reading standard input that is empty.
//@ native
#include <stdio.h>

int main(void) {
    char line[8];
    printf("%d %d\n", fgets(line, sizeof line, stdin) == NULL, feof(stdin) != 0);
    printf("%d\n", getchar() == EOF);
    return 0;
}
