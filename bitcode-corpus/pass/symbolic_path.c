// A path of at most three symbolic characters: one execution for each name that is there, and those that name
// nothing stay together. A path that is written in the program leads to the same.
//@ flags: --sym-arg 3 --sym-files 1 2
//@ outcomes: directory file nothing below
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *leads_to(const char *path) {
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0)
        return errno == ENOENT ? "nothing" : errno == ENOTDIR ? "below" : "wrong";
    struct stat status;
    fstat(descriptor, &status);
    close(descriptor);
    return S_ISDIR(status.st_mode) ? "directory" : "file";
}

int main(int argc, char **argv) {
    const char *found = leads_to(argv[1]);
    static const char characters[] = {'\0', '.', '/', 'A'};
    for (int number = 0; number < 64; number++) {
        char path[4] = {characters[number % 4], characters[number / 4 % 4], characters[number / 16]};
        if (strcmp(path, argv[1]) == 0)
            assert(strcmp(leads_to(path), found) == 0);
    }
    puts(found);
    return 0;
}
