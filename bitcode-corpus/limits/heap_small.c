// Small blocks without end, chained.
#include <stdlib.h>
struct node { struct node *next; long value; };
int main(void) {
    struct node *head = NULL;
    for (long value = 0;; value++) {
        struct node *node = malloc(sizeof *node);
        node->next = head;
        node->value = value;
        head = node;
    }
}
