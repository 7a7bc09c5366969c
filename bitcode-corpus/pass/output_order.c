// Output of two threads comes in either order.
//@ outcomes: ab ba
#include <pthread.h>
#include <stdio.h>

static void *say(void *argument) {
    putchar(*(char *)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char letters[2] = {'a', 'b'};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, say, &letters[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    putchar('\n');
    return 0;
}
