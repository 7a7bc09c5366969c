// A message comes into a queue whose notice is a signal of the process, and two threads let it in. One of them is
// interrupted, perhaps the one that does not send, and perhaps later.
//@ outcomes: km mk tk
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __thread int is_sender;
static mqd_t queue;

static void handle(int signal) {
    (void)signal;
    write(1, is_sender ? "t" : "m", 1);
}

static void *send(void *unused) {
    is_sender = 1;
    mq_send(queue, "a", 1, 0);
    write(1, "k", 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    signal(SIGUSR1, handle);
    queue = mq_open("/notices", O_CREAT | O_RDWR, 0600, &attributes);
    mq_notify(queue, &event);
    pthread_create(&thread, NULL, send, NULL);
    pthread_join(thread, NULL);
    mq_unlink("/notices");
    return 0;
}
