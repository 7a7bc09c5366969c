/* Recursion until the stack overflows. */
static volatile int depth;

static int down(int n) {
    depth = n;
    return down(n + 1) + depth;
}

int main(void) { return down(0); }
