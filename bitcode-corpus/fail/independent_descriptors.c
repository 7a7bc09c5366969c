// A thread that counts on the lowest number: with numbers of its own it fails, in the replay as well.
//@ flags: --independent-descriptors
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>

static void *make(void *unused) {
    (void)unused;
    int made = open("/dev/null", O_RDONLY);
    assert(made == 3); //~ ERROR: made == 3
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, make, NULL);
    pthread_join(thread, NULL);
    return 0;
}
