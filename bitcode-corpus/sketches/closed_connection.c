// A connection is closed and freed by one thread while another, which has looked whether it is being closed, uses
// it. (The pattern of many servers' bugs of their time-outs.)
//@ predictor: order WR 21 15
//@ sketch: h:14 c:20 c:21 h:15
#include <pthread.h>
#include <stdlib.h>

struct connection { volatile int descriptor; };
static volatile int closing, written;

static void *handle(void *argument) {
    struct connection *connection = argument;
    // Not while it is being closed.
    if (!closing)
        written = connection->descriptor; //~ ERROR: use after free
    return NULL;
}
static void *expire(void *argument) {
    struct connection *connection = argument;
    closing = 1;
    free(connection);
    return NULL;
}

int main(void) {
    struct connection *connection = calloc(1, sizeof *connection);
    connection->descriptor = 3;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, handle, connection);
    pthread_create(&threads[1], NULL, expire, connection);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
