// Memory is checked and misuse of the library is not: a handle that was never written is a failure still.
//@ flags: --check memory
//@ cflags: -O0
#include <pthread.h>

int main(void) {
    pthread_t thread;
    pthread_join(thread, NULL); //~ ERROR: uninitialised memory: `pthread_join` depends on byte 0 of `thread` of `main`
    return 0;
}
