// A thread that is never joined lowers the limit of descriptors. It may do so before main opens a file, though main
// may have ended when its turn comes.
//@ outcomes: opened refused

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lower(void *unused) {
    struct rlimit limit = {3, 4096};
    pthread_mutex_lock(&mutex);
    setrlimit(RLIMIT_NOFILE, &limit);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, lower, NULL);
    if (open("/dev/null", O_RDONLY) >= 0)
        write(1, "opened\n", 7);
    else
        write(1, "refused\n", 8);
    pthread_exit(NULL);
}
