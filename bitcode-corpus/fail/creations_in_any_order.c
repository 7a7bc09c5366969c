// Two threads create one each. The child of the second goes first, whichever number it has: the schedule replays.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, order;

static void *leaf(void *number) {
    pthread_mutex_lock(&lock);
    if (order++ == 0) {
        first = *(int *)number;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *branch(void *number) {
    pthread_t child;
    pthread_create(&child, NULL, leaf, number);
    pthread_join(child, NULL);
    return NULL;
}

int main(void) {
    static int numbers[2] = {1, 2};
    pthread_t branches[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&branches[i], NULL, branch, &numbers[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(branches[i], NULL);
    }
    assert(first == 1); //~ ERROR: assertion failed: first == 1
    return 0;
}
