// One lock is held wherever a file is written, and wherever the memory that is a part of it is accessed.
//@ flags: --check race
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;
static char *memory;

static void *one(void *unused) {
    pthread_mutex_lock(&lock);
    memory[0] = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&lock);
    pwrite(file, "x", 1, 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    file = memfd_create("mapped", 0);
    ftruncate(file, 8);
    memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
