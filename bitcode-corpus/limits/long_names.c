// A name of 64 megabytes, of a file and of a semaphore.
// quick
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    size_t length = 1 << 26;
    char *name = malloc(length);
    memset(name, 'a', length - 1);
    name[0] = '/';
    name[length - 1] = 0;
    for (;;) {
        if (open(name, O_RDONLY) >= 0) return 1;
        if (sem_open(name, 0) != SEM_FAILED) return 1;
    }
}
