// manager (IBM's ConTest suite): threads release blocks of memory for one that counts requests down; a releaser that sees the
// note of another leaves the block to that one, which does the same.
#include <assert.h>
#include <pthread.h>

#define BLOCKS 1

static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER, released_lock = PTHREAD_MUTEX_INITIALIZER;
static int notes, released;
static volatile int requests = BLOCKS, flag;

static void *handle(void *unused) {
    while (requests > 0) {
        while (!flag) {
        }
        requests--;
        flag = 0;
    }
    return unused;
}

static void note(int change) {
    pthread_mutex_lock(&notes_lock);
    notes += change;
    pthread_mutex_unlock(&notes_lock);
}

static int is_alone(void) {
    pthread_mutex_lock(&notes_lock);
    int alone = notes == 1;
    pthread_mutex_unlock(&notes_lock);
    return alone;
}

static void *release(void *unused) {
    while (1) {
        while (flag && requests > 0) {
        }
        int left = requests;
        if (left <= 0)
            return unused;
        note(1);
        flag = 1;
        if (is_alone()) {
            pthread_mutex_lock(&released_lock);
            released++;
            pthread_mutex_unlock(&released_lock);
        }
        note(-1);
        while (left == requests && flag) {
        }
    }
}

int main(void) {
    pthread_t handler, releasers[2];
    pthread_create(&handler, NULL, handle, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&releasers[i], NULL, release, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(releasers[i], NULL);
    pthread_join(handler, NULL);
    assert(released >= BLOCKS); //~ ERROR: assertion failed
    return 0;
}
