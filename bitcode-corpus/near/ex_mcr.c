// exMCR (Huang, PLDI 2015, figure 1): `y` is 3 only after both threads have twice gone ways that they go in no run without
// preemptions.
#include <assert.h>
#include <pthread.h>

static volatile int x, y, bug;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *unused) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&lock);
        x = 1;
        y = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *clear(void *unused) {
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&lock);
        x = 0;
        pthread_mutex_unlock(&lock);
        if (x > 0) {
            y++;
            x = 2;
        }
    }
    return unused;
}

static void *look(void *unused) {
    for (int round = 0; round < 2; round++) {
        if (x > 1) {
            if (y == 3)
                bug = 1;
            else
                y = 2;
        }
    }
    return unused;
}

int main(void) {
    void *(*const parts[3])(void *) = {set, clear, look};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, parts[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(!bug); //~ ERROR: assertion failed
    return 0;
}
