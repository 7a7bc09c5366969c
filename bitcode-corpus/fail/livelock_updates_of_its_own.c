// A thread adds and subtracts until it finds a number that never comes. No other thread touches it.
#include <stdatomic.h>

static atomic_int number;

int main(void) {
    while (atomic_fetch_add(&number, 1) != 5) { //~ ERROR: livelock: T0 main spins forever
        if (atomic_load(&number) > 3) break;
        if (atomic_load(&number) > 2) break;
        atomic_fetch_sub(&number, 1);
    }
    return 0;
}
