// The process may end before a thread nobody waits for has written, or after: both are explored.
//@ outcomes[sc]: main main+thread
//@ outcomes[tso]: main main+thread
//@ outcomes[pso]: main main+thread
#include <pthread.h>
#include <unistd.h>

static void *speak(void *argument) {
    (void)argument;
    write(1, "+thread", 7);
    return 0;
}

int main(void) {
    pthread_t thread;
    write(1, "main", 4);
    pthread_create(&thread, 0, speak, 0);
    pthread_detach(thread);
    return 0;
}
