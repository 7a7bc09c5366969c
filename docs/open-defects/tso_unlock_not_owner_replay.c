// Expected: both failures replay. Got under tso, reads-from, keep-going: "unlock by a thread that does not own the mutex" (line of t2) does
// not replay: the replay ends in "the thread ends while it holds the mutex". generated_programs, of everything, seed 20150.
// Command: symx run --memmodel tso --keep-going --json - F.c | grep replay-diverged
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m;
static pthread_key_t k;
static int x;
static const struct timespec past = { 1, 0 };
static void destroy(void *v) { (void)v; __atomic_fetch_add(&x, 4, __ATOMIC_RELAXED); }
static void *t1(void *unused) { pthread_mutex_timedlock(&m, &past); pthread_setspecific(k, &x); return unused; }
static void *t2(void *unused) { pthread_mutex_unlock(&m); return unused; }
int main(void) {
    pthread_t a, b;
    pthread_key_create(&k, destroy);
    pthread_mutex_init(&m, 0);
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    return __atomic_load_n(&x, __ATOMIC_RELAXED);
}
