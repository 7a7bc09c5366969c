// After Apache httpd 21287: the decrement of a reference count, the check for zero and the call of free are not
// atomic, so that two threads free the object (Kasikci, figure 21).
//@ predictor: atomicity RWW 16 17 17
//@ sketch: a:15 b:15 a:16 b:16 b:17 a:17
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { atomic_int refcnt; int complete; };
static struct object *cached;

static void *decrement_refcount(void *unused) {
    struct object *obj = unused;
    if (!obj->complete) {
        obj->refcnt--;
        if (!obj->refcnt) //~ ERROR: use after free
            free(obj);
    }
    return NULL;
}

int main(void) {
    cached = calloc(1, sizeof *cached);
    cached->refcnt = 2;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, decrement_refcount, cached);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
