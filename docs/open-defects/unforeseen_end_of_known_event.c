// Expected: `beyond_reads_from` is null or a named limit. Got: "unforeseen: the end of a known event" (sc, reads-from).
// Command: symx run --keep-going --quiet --json - unforeseen_end_of_known_event.c | grep unforeseen
// Found by generated_programs seed 396 (of_everything); also 377.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static int x;
static void *t1(void *unused) { return unused; }
static void *t2(void *unused) { (void)unused; return (void *)(uintptr_t)(x + 1); }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, t1, NULL);
    pthread_create(&two, NULL, t2, NULL);
    int old = 0;
    __atomic_compare_exchange_n(&x, &old, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(old != 0);
    return 0;
}
