// Roundings and roots of a byte's half: conditions on one byte, decided without circuits for floats.
//@ cflags: -fno-builtin
#include <assert.h>
#include <math.h>
#include <symx.h>

int main(void) {
    double half = (int8_t)symx_u8("byte") * 0.5;
    double near = rint(half);
    assert(near - half <= 0.5 && half - near <= 0.5);
    assert(floor(half) <= near && near <= ceil(half));
    assert(sqrt(fabs(half)) * sqrt(fabs(half)) <= fabs(half) * (1 + 1e-15));
    return 0;
}
