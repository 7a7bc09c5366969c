// A queue that is full, and nobody to receive.
#include <fcntl.h>
#include <mqueue.h>

int main(void) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    mqd_t queue = mq_open("/symx_full", O_CREAT | O_RDWR, 0600, &attributes);
    mq_send(queue, "a", 1, 0);
    mq_send(queue, "b", 1, 0); //~ ERROR: waits for room in a message queue
    return 0;
}
