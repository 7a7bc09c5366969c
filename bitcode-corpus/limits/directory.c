// A directory that is listed whenever the number of its files has doubled.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    mkdir("many", 0700);
    for (int number = 1;; number++) {
        char name[32] = "";
        snprintf(name, sizeof name, "many/%d", number);
        int file = open(name, O_RDWR | O_CREAT, 0600);
        if (file < 0) return 0;
        close(file);
        if ((number & (number - 1)) != 0) continue;
        DIR *all = opendir("many");
        int found = 0;
        while (readdir(all) != NULL) found++;
        closedir(all);
        if (found != number + 2) return 1;
    }
}
