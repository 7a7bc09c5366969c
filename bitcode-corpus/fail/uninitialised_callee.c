// A function pointer nobody set.
#include <stdlib.h>

struct handler {
    void (*open)(void);
    void (*close)(void);
};

static void nothing(void) {}

static struct handler *volatile handler;

int main(void) {
    handler = malloc(sizeof *handler);
    handler->open = nothing;
    handler->open();
    handler->close(); //~ ERROR: uninitialised memory: the choice of the function called depends on byte 8
    return 0;
}
