// Memory that is mapped, and part of no file, is the program's.
//@ flags: --check race
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static int *memory;

static void *one(void *unused) {
    memory[1] = 1; //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    (void)unused;
    return memory[1] ? memory : 0;
}

int main(void) {
    pthread_t threads[2];
    memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
