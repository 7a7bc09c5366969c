// After Transmission 1818: the thread of events uses the bandwidth before the main thread has set it.
//@ predictor: early 14 21
//@ sketch: m:19 m:20 e:14
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct bandwidth { int limit; };
struct session { struct bandwidth *bandwidth; };
static struct bandwidth bandwidth;

static void *event_thread(void *argument) {
    struct session *session = argument;
    assert(session->bandwidth != NULL); //~ ERROR: assertion failed
    return NULL;
}
int main(void) {
    pthread_t events;
    struct session *session = calloc(1, sizeof *session);
    pthread_create(&events, NULL, event_thread, session);
    session->bandwidth = &bandwidth;
    pthread_join(events, NULL);
    free(session);
    return 0;
}
