// Expected (as sc, full enumeration and random schedules under tso): 02 03 12 22 23 33.
// Got under tso and pso (source sets; reads-from leaves signals to it): 02 12 22 33. Lost: the handler's update after the load and after
// the commit of the other thread's store.
// Command: symx run --memmodel tso --json - tso_signal_lost_outcome.c; beside --preemptions 100
// generated_programs, of everything, seed 5044.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
static int x;
static pthread_t h[3];
static void handle(int s) { (void)s; __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED); }
static void *t1(void *unused) { x = 2; return unused; }
static void *t2(void *unused) { (void)unused; return (void *)(uintptr_t)x; }
int main(void) {
    void *r;
    signal(SIGUSR1, handle);
    pthread_create(&h[1], NULL, t1, NULL);
    pthread_create(&h[2], NULL, t2, NULL);
    pthread_kill(h[2], SIGUSR1);
    pthread_join(h[2], &r);
    pthread_join(h[1], NULL);
    int last = __atomic_load_n(&x, __ATOMIC_RELAXED);
    char text[2] = { (char)('0' + (int)(uintptr_t)r), (char)('0' + last) };
    write(1, text, 2);
    return 0;
}
