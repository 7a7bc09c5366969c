// A thread reads how many threads there are while another one makes one, and ends.
//@ outcomes: 2 3
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *nothing(void *unused) { return unused; }

static void *make(void *unused) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_detach(thread);
    pause();
    return unused;
}

int main(void) {
    char page[256] = "";
    pthread_t thread;
    int file = open("/proc/self/status", O_RDONLY);
    pthread_create(&thread, NULL, make, NULL);
    ssize_t length = read(file, page, sizeof page - 1);
    const char *count = length > 0 ? strstr(page, "Threads:\t") : NULL;
    printf("%s", count ? count + 9 : "none\n");
    fflush(stdout);
    _exit(0);
}
