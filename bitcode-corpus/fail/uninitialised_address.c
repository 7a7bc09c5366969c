// A pointer in memory nobody wrote is followed.
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *volatile list;

int main(void) {
    list = malloc(sizeof *list);
    list->value = 1;
    return list->next->value; //~ ERROR: uninitialised memory: an address depends on byte 8
}
