// A key holds one value a thread; its destructor runs at thread end for values not null.
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int values[2] = {10, 20};
static int destroyed;

static void destroy(void *value) {
    destroyed += *(int *)value;
}

static void *start(void *argument) {
    if (pthread_getspecific(key) != NULL)
        return NULL;
    pthread_setspecific(key, argument);
    return pthread_getspecific(key);
}

int main(void) {
    pthread_t with_value, without;
    void *got;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &values[1]);
    pthread_create(&with_value, NULL, start, &values[0]);
    pthread_join(with_value, &got);
    printf("%d %d\n", got == &values[0], destroyed);
    pthread_create(&without, NULL, start, NULL);
    pthread_join(without, &got);
    printf("%d %d\n", got == NULL, destroyed);
    printf("%d\n", *(int *)pthread_getspecific(key));
    pthread_key_delete(key);
    return 0;
}
