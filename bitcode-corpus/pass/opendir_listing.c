// Listing the directory of this file finds this file, and nothing after the end.
//@ native
#include <dirent.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char path[] = __FILE__;
    const char *name = path;
    const char *directory_path = ".";
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
        name = slash + 1;
        directory_path = path;
    }
    DIR *directory = opendir(directory_path);
    if (directory == NULL)
        return 1;
    int found = 0, dots = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        found += strcmp(entry->d_name, name) == 0;
        dots += strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    printf("%d %d %d\n", found, dots, closedir(directory));
    printf("%d\n", opendir("no-such-directory") == NULL);
    return 0;
}
