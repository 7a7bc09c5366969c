// A number of 128 bits is stored in two halves, and another thread sees one of them.
#include <assert.h>
#include <pthread.h>

__int128 half_written_number;

static void *fill(void *unused) {
    half_written_number = -1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    __int128 seen = half_written_number;
    assert(seen == 0 || seen == -1); //~ ERROR: assertion
    pthread_join(thread, NULL);
    return 0;
}
