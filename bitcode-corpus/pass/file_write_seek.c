// Writing a file, overwriting part of it, appending, and reading it back.
//@ native
#include <stdio.h>

int main(void) {
    const char *name = "file_write_seek.scratch";
    FILE *file = fopen(name, "w+");
    if (file == NULL)
        return 1;
    printf("%zu\n", fwrite("abcdefghij", 1, 10, file));
    fseek(file, 4, SEEK_SET);
    fputs("XY", file);
    fclose(file);
    file = fopen(name, "a");
    fprintf(file, "%d\n", 77);
    fclose(file);
    char text[32];
    file = fopen(name, "r");
    printf("%s", fgets(text, sizeof text, file));
    fclose(file);
    printf("%d\n", remove(name));
    printf("%d\n", fopen(name, "r") == NULL);
    return 0;
}
