// File names are bytes: what is no UTF-8 makes a name of its own, in calls, links, listings and as working directory.
//@ native
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "names_\xff"

static void show(const char *name) {
    for (; *name; name++) printf("%02x", (unsigned char)*name);
    printf("\n");
}

int main(void) {
    if (mkdir(FOLDER, 0700) || chdir(FOLDER)) return 1;
    const char *names[] = {"a\x80", "a\x81", "gr\xc3\xbcn", "\xf3\xbf\xbe\x80"};
    for (int i = 0; i < 4; i++) {
        int file = open(names[i], O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (file < 0 || close(file)) return 2;
    }
    if (symlink("to\xfe", "link")) return 3;
    char text[64];
    ssize_t length = readlink("link", text, sizeof text - 1);
    text[length] = 0;
    show(text);
    int count = 0;
    DIR *directory = opendir(".");
    for (struct dirent *entry; (entry = readdir(directory));)
        for (int i = 0; i < 4; i++) count += !strcmp(entry->d_name, names[i]);
    closedir(directory);
    printf("%d of 4\n", count);
    char where[4096];
    show(strrchr(getcwd(where, sizeof where), '/') + 1);
    for (int i = 0; i < 4; i++) printf("%d", unlink(names[i]));
    printf("%d%d%d\n", unlink("link"), chdir(".."), rmdir(FOLDER));
}
