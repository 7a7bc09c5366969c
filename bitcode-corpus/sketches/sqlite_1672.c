// After SQLite 1672: a recursive lock reads its owner without holding the lock. A thread that owned it before
// still finds itself there, while another one has just taken it.
//@ predictor: atomicity RWR 12 18 22
//@ sketch: b:18 a:17 b:12 a:18 b:22
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int in_mutex, owner;

static void enter(int self) {
    if (in_mutex > 0 && owner == self) {
        in_mutex++;
        return;
    }
    pthread_mutex_lock(&mutex);
    in_mutex = 1;
    owner = self;
}

static void leave(int self) {
    assert(owner == self); //~ ERROR: assertion failed
    if (--in_mutex == 0)
        pthread_mutex_unlock(&mutex); //~ WARNING: unlock by a thread that does not own the mutex
}

static void *once(void *unused) {
    enter(1);
    leave(1);
    return unused;
}

static void *twice(void *unused) {
    enter(2);
    leave(2);
    enter(2);
    leave(2);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, once, NULL); //~ WARNING: the thread ends while it holds the mutex
    pthread_create(&threads[1], NULL, twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

// The misuse of the lock is another end of the same bug.
//@ flags: --check assert
