// setenv, unsetenv, putenv, clearenv, environ.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(void) {
    clearenv();
    printf("%d\n", environ == NULL || *environ == NULL);
    printf("%d %d\n", setenv("A", "1", 1), setenv("A", "2", 0));
    printf("%s\n", getenv("A"));
    setenv("A", "3", 1);
    static char entry[] = "B=x";
    putenv(entry);
    printf("%s %s %s\n", getenv("A"), getenv("B"), secure_getenv("B"));
    entry[2] = 'y';
    printf("%s\n", getenv("B"));
    printf("%d %d\n", setenv("", "x", 1), setenv("C=D", "x", 1));
    unsetenv("A");
    printf("%d\n", getenv("A") == NULL);
    for (char **at = environ; *at; at++)
        printf("%s\n", *at);
    return 0;
}
