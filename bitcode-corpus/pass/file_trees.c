// Directories and what is in them: mkdir, readdir, scandir, nftw, glob, fnmatch, realpath, rmdir.
//@ native
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *path) { close(open(path, O_CREAT | O_WRONLY, 0644)); }

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int total[8];

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
    total[kind]++;
    (void)status;
    return strlen(path + place->base) == 0;
}

int main(void) {
    char folder[] = "/tmp/symx-trees-XXXXXX", path[PATH_MAX];
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    printf("%d %d\n", mkdir("a", 0755), mkdir("a/b", 0700));
    printf("%d %d\n", mkdir("a", 0755), errno == EEXIST);
    make("a/one.c"), make("a/two.c"), make("a/b/three.h"), make(".hidden");
    symlink("a/one.c", "link");
    struct dirent **names;
    int count = scandir("a", &names, visible, by_name);
    for (int i = 0; i < count; i++) {
        printf("%s %d\n", names[i]->d_name, names[i]->d_type);
        free(names[i]);
    }
    free(names);
    nftw(".", visit, 8, FTW_PHYS);
    for (int i = 0; i < 7; i++)
        printf("%d ", total[i]);
    printf("\n");
    glob_t found;
    printf("%d ", glob("a/*.c", 0, NULL, &found));
    for (size_t i = 0; i < found.gl_pathc; i++)
        printf("%s ", found.gl_pathv[i]);
    globfree(&found);
    printf("%d\n", glob("*.none", 0, NULL, &found) == GLOB_NOMATCH);
    printf("%d %d %d\n", fnmatch("*.c", "x.c", 0), fnmatch("*", ".x", FNM_PERIOD), fnmatch("a/*", "a/b/c", FNM_PATHNAME));
    printf("%s\n", realpath("a/../link", path) + strlen(folder));
    printf("%zd %.*s\n", readlink("link", path, sizeof path), 7, path);
    struct stat status;
    printf("%d %d\n", lstat("link", &status) == 0 && S_ISLNK(status.st_mode), stat("link", &status) == 0 && S_ISREG(status.st_mode));
    printf("%d %d\n", rmdir("a"), errno == ENOTEMPTY);
    printf("%d %d %d\n", rename("a/two.c", "moved"), access("a/two.c", F_OK), access("moved", R_OK));
    printf("%d %d\n", link("moved", "again"), stat("again", &status) == 0 && status.st_nlink == 2);
    printf("%d %d %d\n", unlink("moved"), stat("again", &status) == 0 && status.st_nlink == 1, open("moved", O_RDONLY) == -1 && errno == ENOENT);
    unlink("again"), unlink("link"), unlink(".hidden"), unlink("a/one.c"), unlink("a/b/three.h"), rmdir("a/b"), rmdir("a");
    printf("%d %s\n", chdir("/"), getcwd(path, sizeof path));
    printf("%d\n", rmdir(folder));
    return 0;
}
