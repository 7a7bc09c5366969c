// A number of no open file is mapped beside another thread that opens one: it gets that number, or comes too late.
//@ outcomes: - m
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *open_again(void *unused) {
    (void)unused;
    open("/tmp/mapped", O_RDWR);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int file = open("/tmp/mapped", O_CREAT | O_RDWR, 0600);
    if (write(file, "mapped", 6) != 6 || close(file) != 0) abort();
    pthread_create(&thread, NULL, open_again, NULL);
    char *memory = mmap(NULL, 6, PROT_READ, MAP_PRIVATE, file, 0);
    pthread_join(thread, NULL);
    putchar(memory == MAP_FAILED ? '-' : memory[0]);
    unlink("/tmp/mapped");
    return 0;
}
