// A list is dropped with its head: both elements are lost.
//@ flags: --check leak
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *volatile list;

int main(void) {
    list = malloc(sizeof *list); //~ ERROR: memory leak
    list->next = malloc(sizeof *list); //~ NOTE: leaks as well
    list->next->next = NULL;
    list = NULL;
    return 0;
}
