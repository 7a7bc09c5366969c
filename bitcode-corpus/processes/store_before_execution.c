// What a process has stored in shared memory stays there when it executes a program.
//@ outcomes: 1
//@ native
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    (void)arguments;
    if (count == 2) _exit(0);
    char *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *shared = '0';
    if (fork() == 0) {
        *shared = '1';
        execl("/proc/self/exe", "again", "executed", (char *)0);
        _exit(9);
    }
    wait(0);
    write(1, shared, 1);
    return 0;
}
