// An index nobody gave.
static volatile int table[4] = {1, 2, 3, 4};
static volatile int zero;

int main(void) {
    volatile int indices[4]; //~ NOTE: allocated here
    indices[0] = 0;
    return table[indices[zero + 2] & 3] & 0; //~ ERROR: uninitialised memory: an address depends on byte 8 of `indices`
}
