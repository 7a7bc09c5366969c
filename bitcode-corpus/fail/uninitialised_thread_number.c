// At -O1 the compiler leaves nothing of a variable that was never written: the call is told an undefined value.
//@ cflags: -O1
#include <pthread.h>

int main(void) {
    pthread_t thread;
    pthread_join(thread, NULL); //~ ERROR: uninitialised variable
    return 0;
}
