// A structure of 256 megabytes that is passed by value, to a function with variable arguments.
// quick
#include <stdarg.h>
struct large {
    char bytes[1 << 28];
};
static struct large own;
static int last(int count, ...) {
    va_list list;
    va_start(list, count);
    int result = va_arg(list, struct large).bytes[(1 << 28) - 1];
    va_end(list);
    return result;
}
int main(void) {
    for (;;) {
        if (last(1, own) != 0) return 1;
    }
}
