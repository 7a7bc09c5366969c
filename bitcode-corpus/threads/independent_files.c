// Each thread creates a file of its own in the same directory.
//@ flags: --independent-descriptors
//@ executions[sc,tso]: 1
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void *use(void *number) {
    char name[] = "/tmp/f0";
    struct stat known;
    name[6] += (char)(long)number;
    int file = open(name, O_CREAT | O_RDWR, 0600);
    if (write(file, name, 3) != 3 || close(file) != 0) abort();
    if (stat(name, &known) != 0 || known.st_size != 3 || unlink(name) != 0) abort();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, use, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
