// A loop that computes without end and without a visible operation.
int main(void) {
    volatile unsigned x = 1;
    for (;;) x = x * 1664525 + 1013904223;
}
