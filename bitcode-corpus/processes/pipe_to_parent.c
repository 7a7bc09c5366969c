// A pipe takes bytes from the child to the parent; its end of file comes with the child's end.
//@ outcomes: hello,5,0
//@ native
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char text[16] = "";
    if (pipe(ends)) return 1;
    if (fork() == 0) {
        close(ends[0]);
        _exit(write(ends[1], "hello", 5) == 5 ? 0 : 1);
    }
    close(ends[1]);
    ssize_t count = read(ends[0], text, sizeof text - 1);
    ssize_t after = read(ends[0], text + 8, 1);
    wait(0);
    printf("%s,%zd,%zd", text, count, after);
    return 0;
}
