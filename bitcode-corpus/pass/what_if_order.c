// A thread uses what another one is yet to make; as is assumed, it waits for that.
//@ flags: --what-if order:what_if_order.c:17<what_if_order.c:10
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int *volatile made;

static void *use(void *unused) {
    assert(*made == 7);
    return unused;
}

int main(void) {
    pthread_t user;
    static int seven = 7;
    pthread_create(&user, NULL, use, NULL); made = &seven;
    pthread_join(user, NULL);
    return 0;
}
