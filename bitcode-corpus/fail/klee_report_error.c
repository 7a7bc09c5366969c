// A program says itself that something is wrong.
#include <klee/klee.h>

int main(void) {
    unsigned char code;
    klee_make_symbolic(&code, sizeof code, "code");
    if (code == 200)
        klee_report_error(__FILE__, __LINE__, "bad code", "code.err"); //~ ERROR: bad code
    return 0;
}
