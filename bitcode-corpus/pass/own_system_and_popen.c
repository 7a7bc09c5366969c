// A program that starts a shell is analysed with functions of its own in place of those that do so.
//@ native
#include <stdio.h>
#include <stdlib.h>

int system(const char *command) {
    printf("<%s>\n", command);
    return 0;
}

FILE *popen(const char *command, const char *mode) {
    FILE *output = tmpfile();
    fprintf(output, "%s of %s\n", mode, command);
    rewind(output);
    return output;
}

int pclose(FILE *output) {
    return fclose(output);
}

int main(void) {
    char line[32] = "";
    int status = system("true");
    FILE *output = popen("ls", "r");
    fgets(line, sizeof line, output);
    printf("%d %s%d\n", status, line, pclose(output));
    return 0;
}
