// Without the lock in line 11 the one in line 14 is still released, and so is the outer one around line 17.
//@ flags: --what-if what_if_no_lock_twice.c:11 --what-if what_if_no_lock_twice.c:17
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex;
int done, sum;

static void *add(void *unused) {
    /* Nothing else touches `done`. */
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    sum++;
    {
        pthread_mutex_lock(&mutex);
        sum++;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &recursive);
    pthread_create(&thread, NULL, add, NULL);
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(sum == 3);
    return 0;
}
