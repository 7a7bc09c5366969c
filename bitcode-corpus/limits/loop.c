// A loop that computes for ever and parks nowhere.
int main(void) {
    volatile unsigned x = 1;
    for (;;) x = x * 1664525 + 1013904223;
}
