// A symbolic name under which something is made: what is there comes first, and every other name is one of
// its own. A path that is only looked for is decided as far as it leads somewhere.
//@ flags: --sym-arg 1
//@ outcomes: there made
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (access(argv[1], F_OK) == 0) {
        assert(mkdir(argv[1], 0700) != 0 && errno == EEXIST);
        puts("there");
    } else if (argv[1][0] != '\0') {
        assert(errno == ENOENT && rmdir(argv[1]) != 0 && errno == ENOENT);
        assert(mkdir(argv[1], 0700) == 0 && access(argv[1], F_OK) == 0);
        puts("made");
    } else {
        assert(mkdir(argv[1], 0700) != 0 && errno == ENOENT);
        puts("there");
    }
    return 0;
}
