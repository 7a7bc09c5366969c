// A directory is listed while two files are made in it: the listing has some of them.
//@ outcomes: 0 1 2 3
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *make(void *name) {
    mkdir(name, 0700);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int found = 0;
    mkdir("/tmp/d", 0700);
    pthread_create(&first, NULL, make, "/tmp/d/1");
    pthread_create(&second, NULL, make, "/tmp/d/2");
    DIR *directory = opendir("/tmp/d");
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.') found += entry->d_name[0] - '0';
    closedir(directory);
    printf("%d", found);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
