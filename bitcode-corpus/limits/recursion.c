// Endless recursion.
// quick
static volatile int depth;
static int deeper(int n) {
    volatile int here = n;
    depth++;
    int below = deeper(n + 1);
    return here + below;
}
int main(void) { return deeper(0); }
