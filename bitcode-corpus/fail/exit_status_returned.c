// A status that `main` returns is a failure of `main`, with --check exit.
//@ flags: --check exit
int main(void) { //~ ERROR: exits with status 4
    volatile int status = 4;
    return status;
}
