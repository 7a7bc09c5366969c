// As `cond_timed_out_while_held.c`, with the threads of C11.
//@ again: --reduction source-sets
//@ again: --reduction source-sets
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t changed;
static int ready;

static int set(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    mtx_lock(&mutex);
    thrd_t thread;
    thrd_create(&thread, set, NULL);
    int result = cnd_timedwait(&changed, &mutex, &until);
    if (result == thrd_timedout)
        assert(!ready); //~ ERROR: assertion failed
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    return 0;
}
