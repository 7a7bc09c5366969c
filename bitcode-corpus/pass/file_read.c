// Reading a real file, this one: lines, bytes, end of file, seek and tell.
//@ native
#include <stdio.h>
#include <string.h>

int main(void) {
    FILE *file = fopen(__FILE__, "r");
    char line[200], again[200];
    if (file == NULL)
        return 1;
    fgets(line, sizeof line, file);
    printf("%s", line);
    long after = ftell(file);
    printf("%d\n", after == (long)strlen(line));
    rewind(file);
    printf("%d\n", fread(again, 1, after, file) == (size_t)after && memcmp(line, again, after) == 0);
    fseek(file, 3, SEEK_SET);
    printf("%c %c\n", fgetc(file), fgetc(file));
    fseek(file, -2, SEEK_END);
    int last = fgetc(file);
    printf("%c %d\n", last, ungetc(last, file) == last);
    fgetc(file);
    fgetc(file);
    int end = fgetc(file);
    printf("%d %d\n", end == EOF, feof(file) != 0);
    fclose(file);
    return 0;
}
