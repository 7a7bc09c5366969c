// Files without end, each with a name of its own.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    for (int number = 0;; number++) {
        char name[32] = "";
        snprintf(name, sizeof name, "file-%d", number);
        int file = open(name, O_RDWR | O_CREAT, 0600);
        if (file < 0) return 0;
        if (write(file, name, sizeof name) < 0) return 0;
        close(file);
    }
}
