// The main thread takes a lock away that its worker may still want.
#include <pthread.h>
#include <stdlib.h>
struct queue { pthread_mutex_t *mutex; int used; };
static struct queue queue;
static void *consume(void *unused) {
    pthread_mutex_lock(queue.mutex); //~ ERROR: use after free
    queue.used++;
    pthread_mutex_unlock(queue.mutex);
    return NULL;
}
int main(void) {
    pthread_t thread;
    queue.mutex = malloc(sizeof *queue.mutex);
    pthread_mutex_init(queue.mutex, NULL);
    pthread_create(&thread, NULL, consume, NULL);
    pthread_mutex_destroy(queue.mutex);
    free(queue.mutex);
    pthread_join(thread, NULL);
    return 0;
}
