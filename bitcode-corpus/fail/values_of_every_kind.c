// What a debugger shows: bit-fields, an enumeration, floats, and static variables of one name in two functions.
#include <assert.h>

enum size { LEAST = 1, MOST = 200 };

struct bits {
    unsigned low : 3;
    signed char middle : 4;
    unsigned long high : 64;
};

struct __attribute__((packed)) narrow {
    unsigned before : 7;
    unsigned long behind : 63;
};

struct bits bits = {5, -2, 0xF000000000000001ul};
struct narrow narrow = {3, 0x7000000000000001ul};
float tenth = 1.1f, product;
enum size size = LEAST;

static int first(void) {
    static int volatile calls = 10;
    return ++calls;
}

static int second(void) {
    static int volatile calls = 20;
    calls++;
    assert(calls < 22); //~ ERROR: assertion failed
    return calls;
}

int main(void) {
    void *volatile used[] = {&bits, &narrow, &size};
    (void)used;
    product = tenth * tenth;
    for (int round = 0; round < 2; round++)
        size = first() > second() ? LEAST : MOST;
    return 0;
}
