// Pages of text in /proc and /sys say what calls say: processors, memory, limits, the name, the number of threads.
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static sem_t end;

static void *run(void *unused) {
    sem_wait(&end);
    return unused;
}

// The number behind `name` in a file, -1 if it is not there.
static long found(const char *path, const char *name) {
    char line[256];
    long number = -1;
    FILE *file = fopen(path, "r");
    assert(file);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)))
            number = atol(line + strlen(name));
    fclose(file);
    return number;
}

static int threads(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.' && entry->d_type == DT_DIR;
    closedir(folder);
    return count;
}

int main(void) {
    char text[32] = "", expected[32];
    struct rlimit limit;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(expected, sizeof expected, "0-%ld\n", processors - 1);
    int file = open("/sys/devices/system/cpu/online", O_RDONLY);
    assert(read(file, text, sizeof text) == (ssize_t)strlen(expected) && !strcmp(text, expected));
    assert(found("/proc/cpuinfo", "processor\t: ") == processors - 1);
    assert(found("/proc/meminfo", "MemTotal: ") == sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) >> 10));
    assert(!getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = 100;
    assert(!setrlimit(RLIMIT_NOFILE, &limit) && found("/proc/self/limits", "Max open files") == 100);

    pthread_t thread;
    sem_init(&end, 0, 0);
    assert(found("/proc/self/status", "Threads:") == 1 && threads() == 1);
    pthread_create(&thread, NULL, run, NULL);
    int status = open("/proc/self/status", O_RDONLY);
    assert(found("/proc/self/status", "Threads:") == 2 && threads() == 2);
    sem_post(&end);
    pthread_join(thread, NULL);
    assert(found("/proc/self/status", "Threads:") == 1 && threads() == 1);
    assert(found("/proc/self/status", "Pid:") == getpid());

    pthread_setname_np(pthread_self(), "named");
    file = open("/proc/self/comm", O_RDONLY);
    assert(pread(file, text, 3, 1) == 3 && !strncmp(text, "ame", 3));
    assert(read(file, text, 32) == 6 && !strncmp(text, "named\n", 6) && read(file, text, 32) == 0);
    // A page is that of the moment when it is read.
    pthread_setname_np(pthread_self(), "other");
    assert(pread(file, text, 32, 0) == 6 && !strncmp(text, "other\n", 6));
    assert(read(status, text, 12) == 12 && !strncmp(text, "Name:\tother\n", 12));
    assert(access("/proc/self/maps", F_OK) < 0 && open("/proc/self/status", O_RDWR) < 0);
    return 0;
}
