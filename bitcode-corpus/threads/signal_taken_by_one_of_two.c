// A signal is pending for the process. A thread that lets it in takes it, unless another one, where it lets signals in,
// has been interrupted by it: before what it does there, or behind that.
//@ outcomes: 0 1 t
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __thread int is_other;
static volatile sig_atomic_t is_behind;
static volatile char taken;

static void handle(int signal) {
    (void)signal;
    taken = is_other ? 't' : is_behind ? '1' : '0';
}

static void *send_and_let_in(void *unused) {
    sigset_t set;
    is_other = 1;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    kill(getpid(), SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, handle);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, send_and_let_in, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    is_behind = 1;
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_join(thread, NULL);
    char byte = taken;
    write(1, &byte, 1);
    return 0;
}
