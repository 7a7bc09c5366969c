// What calls that open, make, rename and remove say of 100 paths: of files, directories, links and nothing,
// with dots and slashes. The outcome is a hash of all answers, which are printed if there is an argument.
//@ native
//@ outcomes: 2000,1726260414
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/entries_XXXXXX";
static int verbose, answers;
static unsigned hash = 2166136261u;

static void clear(int folder, const char *name) {
    if (unlinkat(folder, name, 0) == 0)
        return;
    int descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (descriptor < 0)
        return;
    DIR *listing = fdopendir(descriptor);
    char names[20][32];
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            strcpy(names[count++], entry->d_name);
    while (count > 0)
        clear(descriptor, names[--count]);
    closedir(listing);
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void prepare(void) {
    clear(AT_FDCWD, base);
    if (mkdir(base, 0755) || chdir(base) || mkdir("work", 0755) || chdir("work") || mkdir("dir", 0755))
        abort();
    close(open("file", O_CREAT | O_WRONLY, 0644));
    close(open("dir/file", O_CREAT | O_WRONLY, 0644));
    if (symlink("file", "tofile") || symlink("dir", "todir") || symlink("loop", "loop"))
        abort();
}

static void note(const char *call, const char *path, long answer) {
    int error = answer < 0 ? errno : 0;
    hash = (hash ^ (unsigned)error) * 16777619u;
    answers++;
    if (verbose)
        printf("%s(%s): %s\n", call, path, error ? strerror(error) : "done");
}

static void look(const char *path) {
    struct stat status;
    char target[64];
    int opened[4] = {open(path, O_RDONLY), 0, 0, 0};
    note("open", path, opened[0]);
    note("open to write", path, opened[1] = open(path, O_WRONLY));
    note("open a directory", path, opened[2] = open(path, O_RDONLY | O_DIRECTORY));
    note("open no link", path, opened[3] = open(path, O_RDONLY | O_NOFOLLOW));
    for (int number = 0; number < 4; number++)
        close(opened[number]);
    note("stat", path, stat(path, &status));
    note("lstat", path, lstat(path, &status));
    note("access", path, access(path, F_OK));
    note("readlink", path, readlink(path, target, sizeof target));
}

#define CHANGE(call) (prepare(), note(#call, path, call))

static void change(const char *path) {
    int made;
    CHANGE(made = open(path, O_CREAT | O_WRONLY, 0600));
    close(made);
    CHANGE(made = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600));
    close(made);
    CHANGE(mkdir(path, 0700));
    CHANGE(rmdir(path));
    CHANGE(unlink(path));
    CHANGE(symlink("file", path));
    CHANGE(link("file", path));
    CHANGE(link(path, "x"));
    CHANGE(rename(path, "x"));
    CHANGE(rename("file", path));
    CHANGE(rename("dir", path));
    CHANGE(truncate(path, 0));
}

int main(int argc, char **argv) {
    static const char *const parts[] = {"", ".", "..", "file", "dir", "tofile", "todir", "none", "loop", "new"};
    verbose = argc > 1;
    if (mkdtemp(base) == NULL)
        return 1;
    for (int first = 0; first < 10; first++)
        for (int second = first == 0 ? 9 : -1; second < 10; second++) {
            char path[32];
            snprintf(path, sizeof path, second < 0 ? "%s" : "%s/%s", parts[first], second < 0 ? "" : parts[second]);
            prepare();
            look(first == 0 ? "" : path);
            change(first == 0 ? "" : path);
        }
    clear(AT_FDCWD, base);
    printf("%d,%u\n", answers, hash);
    return 0;
}
