// The sender gives up if it is told to stop first, and the receiver waits for ever.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int stopped;
static mqd_t queue;

static void *send(void *unused) {
    if (!atomic_load(&stopped))
        mq_send(queue, "m", 1, 0);
    return unused;
}

int main(void) {
    struct mq_attr attributes = { .mq_maxmsg = 2, .mq_msgsize = 8 };
    queue = mq_open("/symx_not_sent", O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink("/symx_not_sent");
    pthread_t sender;
    pthread_create(&sender, NULL, send, NULL);
    atomic_store(&stopped, 1);
    char message[8];
    mq_receive(queue, message, sizeof message, NULL); //~ ERROR: deadlock
    pthread_join(sender, NULL);
    return 0;
}
