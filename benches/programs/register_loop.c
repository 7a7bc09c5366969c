/* Arithmetic in registers only: a multiply, an add, a shift and an exclusive or a turn. */
#include <stdint.h>

#ifndef TURNS
#define TURNS 1000000
#endif

int main(void) {
    uint64_t mixed = 1;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        mixed = mixed * 6364136223846793005u + turn;
        mixed ^= mixed >> 13;
    }
    return mixed == 0;
}
