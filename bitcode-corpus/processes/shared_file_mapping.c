// A shared mapping of a file is inherited, and the file has what either process stores.
//@ outcomes: 7,7
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    char byte = 0;
    int file = shm_open("/symx-shared-mapping", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 4096)) return 1;
    char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (fork() == 0) {
        memory[0] = 7;
        _exit(0);
    }
    wait(0);
    if (pread(file, &byte, 1, 0) != 1) return 1;
    printf("%d,%d", memory[0], byte);
    shm_unlink("/symx-shared-mapping");
    return 0;
}
