// Blocks that a register, a structure or a static variable leads to when exit is called are no leaks.
//@ flags: --check leak
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *list;

int main(void) {
    list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = NULL;
    char *volatile on_stack = malloc(3);
    char *in_register = malloc(4);
    on_stack[0] = 'a';
    in_register[0] = on_stack[0];
    exit(in_register[0] != 'a');
}
