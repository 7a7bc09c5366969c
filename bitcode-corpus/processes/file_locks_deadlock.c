// Two processes lock two files in opposite order with flock, which looks for no deadlock.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = {"/tmp/symx-first", "/tmp/symx-second"};

static void lock_both(int first) {
    int one = open(names[first], O_RDWR | O_CREAT, 0600), other = open(names[!first], O_RDWR | O_CREAT, 0600);
    flock(one, LOCK_EX);
    flock(other, LOCK_EX); //~ ERROR: deadlock
    close(one);
    close(other);
}

int main(void) {
    if (!fork()) {
        lock_both(1);
        _exit(0);
    }
    lock_both(0);
    wait(NULL);
    return 0;
}
