/* A walk along a list whose links jump about: each load waits for the one before. */
#include <stddef.h>
#include <stdlib.h>

#define NODES 1009
#define STEP 337 /* has no divisor in common with NODES, so that the list passes all of them */
#define TURNS 200000

struct node {
    struct node *next;
    unsigned value;
};

int main(void) {
    struct node *nodes = malloc(NODES * sizeof *nodes);
    if (!nodes) return 1;
    for (size_t index = 0; index < NODES; index++) {
        nodes[index].next = &nodes[(index + STEP) % NODES];
        nodes[index].value = (unsigned)index;
    }
    unsigned sum = 0;
    struct node *node = nodes;
    for (int turn = 0; turn < TURNS; turn++) {
        sum += node->value;
        node = node->next;
    }
    free(nodes);
    return sum == 0;
}
