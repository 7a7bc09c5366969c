// Reading a member of a struct whose address is null: a small address, still null.
#include <stdio.h>

struct pair {
    long first;
    long second;
};

static struct pair *volatile pointer;

int main(void) {
    struct pair *p = pointer;
    printf("%ld\n", p->second); //~ ERROR: null pointer dereference
    return 0;
}
