// A thread sends its process a signal that all threads let in. One of them is interrupted, perhaps the other one, and
// perhaps later: the sender goes on meanwhile.
//@ outcomes: km mk tk
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __thread int is_sender;

static void handle(int signal) {
    (void)signal;
    write(1, is_sender ? "t" : "m", 1);
}

static void *send(void *unused) {
    is_sender = 1;
    kill(getpid(), SIGUSR1);
    write(1, "k", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, send, NULL);
    pthread_join(thread, NULL);
    return 0;
}
