// A computed goto to what is no label.
//@ cflags: -O0
static int choose(long which) {
    void *target = &&first;
    if (which > 3)
        target = (void *)which;
    __asm__("" : "+r"(target));
    goto *target; //~ ERROR: which is no label that it may lead to
first:
    return 1;
second:
    if (which < 0)
        goto *&&second;
    return 2;
}

int main(int argc, char **argv) {
    (void)argv;
    return choose(argc + 4) == 1;
}
