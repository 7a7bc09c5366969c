// Spaces may come before a number that strptime reads. It ends where another digit would make it too large.
//@ outcomes: 7,3,4,5
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

int main(void) {
    struct tm spaced = {0}, joined = {0};
    strptime("  7: 3", "%H:%M", &spaced);
    strptime("45", "%H%M", &joined);
    printf("%d,%d,%d,%d\n", spaced.tm_hour, spaced.tm_min, joined.tm_hour, joined.tm_min);
    return 0;
}
