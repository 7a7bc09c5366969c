// Behind its post the thread has only a fence before it fails. That is a step of its own: the other can take the post and fail
// before. Neither failure hides the other.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t posted;

static void *post(void *nothing) {
    sem_post(&posted);
    atomic_thread_fence(memory_order_seq_cst);
    return *(void *volatile *)nothing; //~ ERROR: null pointer dereference
}

static void *take(void *nothing) {
    sem_wait(&posted);
    return *(void *volatile *)nothing; //~ ERROR: null pointer dereference
}

int main(void) {
    pthread_t threads[2];
    sem_init(&posted, 0, 0);
    pthread_create(&threads[0], NULL, post, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
