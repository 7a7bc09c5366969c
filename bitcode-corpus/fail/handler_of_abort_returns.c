// If the handler of SIGABRT returns, the process ends nevertheless.
#include <signal.h>
#include <stdlib.h>

static void stay(int signal) { (void)signal; }

int main(void) {
    signal(SIGABRT, stay);
    abort(); //~ ERROR: abort called
}
