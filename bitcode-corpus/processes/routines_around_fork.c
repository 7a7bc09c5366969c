// Routines of pthread_atfork run before the fork in reverse order, after it in order.
//@ outcomes: ba:AB:12
//@ native
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[16];

static void add(const char *what) { strcat(text, what); }
static void prepare_a(void) { add("a:"); }
static void prepare_b(void) { add("b"); }
static void parent_a(void) { add("A"); }
static void parent_b(void) { add("B"); }
static void child_a(void) { add("1"); }
static void child_b(void) { add("2"); }

int main(void) {
    int ends[2];
    char seen[4] = "";
    if (pipe(ends)) return 1;
    pthread_atfork(prepare_a, parent_a, child_a);
    pthread_atfork(prepare_b, parent_b, child_b);
    if (fork() == 0) _exit(write(ends[1], text + 3, 2) != 2);
    if (read(ends[0], seen, 2) != 2) return 1;
    wait(0);
    printf("%s:%s", text, seen);
    return 0;
}
