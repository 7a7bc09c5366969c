// Padding is copied with structures, by assignment, as arguments and in memory, and never looked at.
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char kind;
    int value;
    char tail;
};

static struct item volatile sink;

static struct item change(struct item item) {
    item.value++;
    return item;
}

static struct item (*volatile changer)(struct item) = change;

int main(void) {
    struct item items[3];
    for (int i = 0; i < 3; i++) {
        struct item one;
        one.kind = (char)i;
        one.value = 10 * i;
        one.tail = 1;
        items[i] = changer(one);
    }
    struct item *copy = malloc(sizeof items);
    memcpy(copy, items, sizeof items);
    memmove(copy + 1, copy, 2 * sizeof *copy);
    copy = realloc(copy, 10 * sizeof *copy);
    sink = copy[2];
    printf("%d-%d-%d\n", copy[0].value, copy[1].value, sink.value);
    free(copy);
    return 0;
}
