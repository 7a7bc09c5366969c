// Each thread prints a line, and it matters who comes first.
#include <pthread.h>
#include <stdio.h>

static void *print(void *text) {
    printf("%s\n", (const char *)text);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, print, "one");
    pthread_create(&threads[1], NULL, print, "two");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
