// Writing to a list node after it was freed.
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *volatile head;

int main(void) {
    head = malloc(sizeof *head);
    head->next = NULL;
    struct node *kept = head;
    free(head);
    head = NULL;
    ((volatile struct node *)kept)->value = 1; //~ ERROR: use after free
    return 0;
}
