// After Apache httpd 25520: two workers append to the buffered access log; the place to write at is read and
// advanced without a lock, and one entry overwrites the other.
//@ predictor: atomicity RWW 15 15 15
//@ sketch: a:15 b:15 a:15 m:25
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct buffered_log { int outcnt; char outbuf[64]; };
static struct buffered_log buf;

static void *buffered_log_writer(void *entry) {
    int len = (int)strlen(entry);
    memcpy(&buf.outbuf[buf.outcnt], entry, len);
    buf.outcnt += len;
    return NULL;
}

int main(void) {
    pthread_t workers[2];
    pthread_create(&workers[0], NULL, buffered_log_writer, "GET /a\n");
    pthread_create(&workers[1], NULL, buffered_log_writer, "GET /b\n");
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    assert(buf.outcnt == 14); //~ ERROR: assertion failed
    return 0;
}
