// A file that is open can be opened for writing by the path of its descriptor, as `fopen` does it: with O_CREAT.
//@ native
//@ outcomes: one,two
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/by_path_XXXXXX", path[64], text[16] = "";
    int descriptor = mkstemp(name);
    if (descriptor < 0 || write(descriptor, "zero", 4) != 4)
        return 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    FILE *again = fopen(path, "w");
    if (again == NULL)
        return 2;
    fputs("one,two\n", again);
    fclose(again);
    if (lseek(descriptor, 0, SEEK_SET) != 0 || read(descriptor, text, sizeof text - 1) < 0)
        return 3;
    fputs(text, stdout);
    return unlink(name);
}
