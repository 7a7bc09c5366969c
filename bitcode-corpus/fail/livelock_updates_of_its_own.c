// A thread adds and subtracts until it finds a number that never comes. No other thread touches it.
#include <stdatomic.h>

static atomic_int at;

int main(void) {
    while (atomic_fetch_add(&at, 1) != 5 && atomic_load(&at) != 7 && at != 8) at--; //~ ERROR: livelock: T0 main spins forever
    return 0;
}
