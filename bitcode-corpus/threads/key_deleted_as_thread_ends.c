// A key that is deleted while a thread ends: its value is destroyed before, or not at all.
//@ outcomes: 0 1
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_key_t key;
static sem_t set;
static int destroyed;
static void destroy(void *value) { (void)value; destroyed = 1; }
static void *hold(void *unused) { (void)unused; pthread_setspecific(key, &key); sem_post(&set); return NULL; }
int main(void) {
    pthread_t holder;
    sem_init(&set, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&holder, NULL, hold, NULL);
    sem_wait(&set);
    pthread_key_delete(key);
    pthread_join(holder, NULL);
    printf("%d\n", destroyed);
    return 0;
}
