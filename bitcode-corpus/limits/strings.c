// A string that is doubled, measured and compared without end.
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t size = 1 << 16;
    char *text = malloc(size);
    memset(text, 'a', size - 1);
    text[size - 1] = 0;
    for (;;) {
        char *twice = malloc(2 * size);
        if (twice == NULL) return 0;
        strcpy(twice, text);
        strcat(twice, text);
        if (strcmp(twice, text) == 0 || strlen(twice) < size || strchr(twice, 'b') != NULL) return 1;
        text = twice;
        size *= 2;
    }
}
