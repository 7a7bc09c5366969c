// Each thread closes a descriptor of its own: the order is unobservable.
//@ executions[sc,tso]: 1
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *end(void *descriptor) {
    close((int)(long)descriptor);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    const char *const names[] = {"/dev/null", "/dev/zero", "/tmp"};
    int descriptors[3];
    for (int i = 0; i < 3; i++) descriptors[i] = open(names[i], O_RDONLY);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, end, (void *)(long)descriptors[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
