// A function by itself: integers have any value, pointers lead to objects with any content. `main` is not run.
//@ flags: --entry classify --entry-bytes 8
//@ outcomes: empty other short
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ready = 3;

void classify(const char *text, short limit, _Bool quiet) {
    assert(ready == 3 && limit <= 32767 && (quiet == 0 || quiet == 1));
    if (text[0] == '\0')
        puts("empty");
    else if (text[7] == '\0' && text[1] == '\0' && limit == -5 && quiet)
        puts("short");
    else
        puts("other");
}

int main(void) {
    abort();
}
