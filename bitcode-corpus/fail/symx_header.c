// symx.h: an input of each width, under an assumption.
#include <assert.h>
#include <symx.h>

int main(void) {
    uint8_t small = symx_u8("small");
    int64_t large = symx_i64("large");
    symx_assume(large > 0 && small > 0);
    bool flag = symx_bool("flag");
    if (flag)
        assert(large - small != 1000000); //~ ERROR: assertion failed
    return 0;
}
