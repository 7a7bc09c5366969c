// An atomic object of sixteen megabytes.
// quick
struct large {
    char bytes[1 << 24];
};
static struct large shared, own;
int main(void) {
    for (;;) {
        __atomic_load(&shared, &own, __ATOMIC_SEQ_CST);
        if (own.bytes[0] != 0) return 1;
    }
}
