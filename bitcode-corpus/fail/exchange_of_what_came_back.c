// The ABA problem: a stack without counts, from which one thread takes a node that another has taken and put back. What
// was below that node then is not what is below it now.
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static struct {
    atomic_int next;
} nodes[3];
static atomic_int top;
static atomic_int taken[3];

static void push(int node) {
    int old = atomic_load(&top);
    do {
        atomic_store(&nodes[node].next, old);
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

static int pop(void) {
    for (;;) {
        int old = atomic_load(&top);
        if (old == 0) return 0;
        int next = atomic_load(&nodes[old].next);
        if (atomic_compare_exchange_strong(&top, &old, next)) return old;
    }
}

static void *take(void *unused) {
    int node = pop();
    if (node) assert(!atomic_exchange(&taken[node], 1));
    return unused;
}

static void *take_two_and_put_one_back(void *unused) {
    int one = pop();
    int other = pop();
    if (other) atomic_store(&taken[other], 1);
    if (one) push(one);
    return unused;
}

int main(void) {
    push(1);
    push(2);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take_two_and_put_one_back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    int rest = pop();
    assert(!rest || !atomic_load(&taken[rest])); //~ ERROR: assertion failed
    return 0;
}
