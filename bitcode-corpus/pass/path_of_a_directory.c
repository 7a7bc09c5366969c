// A path that ends in a slash, or in a slash and a dot, leads to a directory or nowhere; links likewise.
//@ native
//@ outcomes: done
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    char folder[] = "/tmp/path_XXXXXX";
    assert(mkdtemp(folder) && chdir(folder) == 0);
    int file = open("file", O_CREAT | O_WRONLY, 0600);
    assert(file >= 0 && close(file) == 0);
    assert(open("file/", O_RDONLY) == -1 && errno == ENOTDIR);
    assert(open("file/.", O_RDONLY) == -1 && errno == ENOTDIR);
    assert(open("file/..", O_RDONLY) == -1 && errno == ENOTDIR);
    assert(mkdir("new/.", 0700) == -1 && errno == ENOENT);
    assert(mkdir("new/", 0700) == 0 && access("new/.", F_OK) == 0);
    assert(symlink("file/.", "link") == 0 && access("link", F_OK) == -1 && errno == ENOTDIR);
    assert(symlink("new/", "other") == 0 && access("other", F_OK) == 0);
    assert(unlink("link") == 0 && unlink("other") == 0 && unlink("file") == 0 && rmdir("new") == 0);
    assert(chdir("/") == 0 && rmdir(folder) == 0);
    puts("done");
    return 0;
}
