// Expected: the failure (a thread ends while it holds a mutex) is told. Got (in process, Search::Random, seed 9): it does not
// replay: "decision 11: Thread(1) cannot take a step". Seeds of generated_programs "of everything": 9.
// Command: for s in 0..20: symx run --search random --seed $s --max-executions 20 --keep-going --json - F.c | grep replay-diverged
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t h[4];
static void *t3(void *unused) { pthread_mutex_trylock(&m); return unused; }
static void *t1(void *unused) { pthread_create(&h[3], 0, t3, 0); return unused; }
static void *t2(void *unused) { return unused; }
int main(void) {
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    pthread_create(&h[1], &a, t1, 0);
    pthread_create(&h[2], 0, t2, 0);
    return 0;
}
