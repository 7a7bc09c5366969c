// Expected: the deadlock is told under --search random|pct as well. Got, in process (explore_samples, then replay with the numbers
// that the failure names): "decision 8: Thread(0) cannot take a step". generated_programs, of everything, seed 49 (pct), 9 (random).
// Command: for s in 0..40: symx run --search pct --seed $s --max-executions 20 --keep-going --json - F.c
#include <pthread.h>
static pthread_barrier_t b;
static pthread_t h[4];
static void *t2(void *unused) { pthread_barrier_wait(&b); return unused; }
static void *t1(void *unused) { pthread_create(&h[2], 0, t2, 0); pthread_join(h[2], 0); return unused; }
static void *t3(void *unused) { return unused; }
int main(void) {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&h[1], 0, t1, 0);
    pthread_create(&h[3], &a, t3, 0);
    pthread_join(h[1], 0);
    return 0;
}
