// Two threads wait for one child, and one of them finds it gone. The handler of the signal of its end runs in one of them,
// before its wait returns.
//@ outcomes: -m1 1m- 1s- 2m_ _s2 m-1 m1- m2_ m_2 s-1 s1- s2_ s_2
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread int is_second;
static pid_t child;

static void handle(int signal) {
    (void)signal;
    write(1, is_second ? "s" : "m", 1);
}

static void *wait_for_child(void *unused) {
    is_second = unused != NULL;
    int found = waitpid(child, NULL, 0) == child;
    write(1, is_second ? found ? "2" : "-" : found ? "1" : "_", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    child = fork();
    if (child == 0) _exit(0);
    pthread_create(&thread, NULL, wait_for_child, &thread);
    wait_for_child(NULL);
    pthread_join(thread, NULL);
    return 0;
}
