// Threads drop their shares of an object, main too: any may be the last, and frees it.
//@ outcomes: 0 1 2
//@ cflags: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int *owners;
static int last = 2;

static void drop_share(int who) {
    if (atomic_fetch_sub(owners, 1) == 1) {
        free(owners);
        last = who;
    }
}

static void *use(void *who) {
    drop_share(*(int *)who);
    return NULL;
}

int main(void) {
    static int numbers[] = {0, 1};
    pthread_t threads[2];
    owners = malloc(sizeof *owners);
    atomic_init(owners, 3);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, &numbers[i]);
    drop_share(2);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", last);
}
