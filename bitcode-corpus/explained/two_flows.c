// MaxSMT (AAAI 2019), figure 1, with the signs that the print has lost: an update that comes too early, of `y` or of `z`,
// spoils the sum; where both do, to mend one is not enough.
#include <assert.h>
#include <pthread.h>

static volatile int x = 0, y = -1, z = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add_y(void *unused) {
    pthread_mutex_lock(&lock);
    x = x + y;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *add_z(void *unused) {
    pthread_mutex_lock(&lock);
    x = x + z;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *raise_y(void *unused) {
    y = y + 1;
    return unused;
}

static void *raise_z(void *unused) {
    z = z + 1;
    return unused;
}

int main(void) {
    void *(*const steps[4])(void *) = {add_y, add_z, raise_y, raise_z};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, steps[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(x == 0); //~ ERROR: assertion failed
    return 0;
}
