// The C library's functions on text access what they are passed, and return and store addresses in it.
//@ flags: --check race
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char line[16] = "12:x", copy[16];
char *colon;

static void *one(void *unused) {
    snprintf(line, sizeof line, "%s", "34:y");
    return unused;
}

static void *two(void *unused) {
    char *rest = line;
    if (strtol(line, &rest, 10) && *rest == ':') //~ ERROR: data race on `line
        colon = strchr(line, ':');
    strcpy(copy, line);
    printf("%s", line);
    if (colon)
        *colon = '.';
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
