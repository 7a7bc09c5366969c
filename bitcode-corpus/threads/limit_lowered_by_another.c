// A thread lowers the limit of descriptors before another opens its file, or afterwards.
//@ outcomes: opened refused
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

static void *lower(void *unused) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &limit);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, lower, NULL);
    int file = open("/dev/null", O_RDONLY);
    pthread_join(thread, NULL);
    puts(file >= 0 ? "opened" : "refused");
    return 0;
}
