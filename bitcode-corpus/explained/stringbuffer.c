// After the string buffer of Java's library: append() asks the other buffer for its length and then for its characters,
// each under the lock, not both. The other one may have shrunk between.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[8];
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 3, "abc"};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static int length_of(struct buffer *buffer) {
    pthread_mutex_lock(&buffer->lock);
    int length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static void characters(struct buffer *buffer, int end, char *into) {
    pthread_mutex_lock(&buffer->lock);
    assert(end <= buffer->length); //~ ERROR: assertion failed
    for (int i = 0; i < end; i++)
        into[i] = buffer->text[i];
    pthread_mutex_unlock(&buffer->lock);
}

static void *append(void *unused) {
    pthread_mutex_lock(&target.lock);
    int length = length_of(&source);
    characters(&source, length, target.text + target.length);
    target.length += length;
    pthread_mutex_unlock(&target.lock);
    return unused;
}

static void *erase(void *unused) {
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    pthread_mutex_unlock(&source.lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, append, NULL);
    pthread_create(&threads[1], NULL, erase, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
