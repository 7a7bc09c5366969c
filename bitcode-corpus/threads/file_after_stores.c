// A thread says by writing to a file that it is done: what it stored before has come to memory by then, under every model.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;
static volatile int done;

static void *work(void *unused) {
    done = 1;
    write(file, "x", 1);
    return unused;
}

int main(void) {
    file = open("file", O_RDWR | O_CREAT, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (lseek(file, 0, SEEK_CUR) == 1)
        assert(done);
    pthread_join(thread, NULL);
    return 0;
}
