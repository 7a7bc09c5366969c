// A reader gives up after many looks. It does so only if the writer is held back all the while: of random
// schedules hardly any do that, and each reader may be the one that is in the way.
//@ flags: --search starving --max-executions 8
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { LOOKS = 100 };

static atomic_bool ready;

static void *write(void *unused) {
    ready = true;
    return unused;
}

static void *read(void *unused) {
    bool seen = false;
    for (int look = 0; look < LOOKS && !seen; look++) {
        seen = ready;
    }
    assert(seen); //~ ERROR: assertion failed
    return unused;
}

int main(void) {
    pthread_t writer, readers[2];
    pthread_create(&writer, NULL, write, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_create(&readers[i], NULL, read, NULL);
    }
    pthread_join(writer, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(readers[i], NULL);
    }
    return 0;
}
