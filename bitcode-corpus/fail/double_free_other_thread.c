// Two threads free the same block: the second one is told where the first did.
#include <pthread.h>
#include <stdlib.h>

static char *volatile block;

static void *work(void *argument) {
    (void)argument;
    free(block); //~ NOTE: it was freed here first
    return NULL;
}

int main(void) {
    pthread_t thread;
    block = malloc(3); //~ NOTE: allocated here
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    free(block); //~ ERROR: double free of a heap object of 3 bytes
    return 0;
}
