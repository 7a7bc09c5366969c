// Each thread writes to a stream of its own: the list of open streams tells no order.
//@ flags: --independent-descriptors
//@ executions[sc,tso]: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *use(void *number) {
    char name[] = "/tmp/f0";
    name[6] += (char)(long)number;
    FILE *file = fopen(name, "w");
    if (!file || fputs("text", file) < 0 || fclose(file) != 0) abort();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, use, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
