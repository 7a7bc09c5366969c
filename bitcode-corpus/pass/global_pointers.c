// Globals initialised with addresses of other globals, elements, strings and functions.
//@ native
#include <stdio.h>

static int numbers[4] = {1, 2, 3, 4};
static int *third = &numbers[2];
static int **indirect = &third;
static const char *const names[] = {"zero", "one", "two"};
static int (*const print)(const char *, ...) = printf;

struct node {
    int value;
    struct node *next;
};

static struct node last = {3, NULL};
static struct node list[2] = {{1, &list[1]}, {2, &last}};

int main(void) {
    **indirect += 10;
    print("%d %td %s %c\n", numbers[2], third - numbers, names[2], names[1][2]);
    for (struct node *n = list; n != NULL; n = n->next)
        print("%d ", n->value);
    print("\n");
    return 0;
}
