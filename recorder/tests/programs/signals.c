/* A handler interrupts instrumented loops many times. */
#include <signal.h>
#include <sys/time.h>

static volatile int ticks, odd;

static int parity(int n) { return n % 2 ? 1 : 0; }

static void tick(int number) {
    (void)number;
    ticks += parity(ticks) + 1;
}

int main(void) {
    signal(SIGALRM, tick);
    struct itimerval every = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &every, 0);
    for (int i = 0; ticks < 40; i++)
        if (parity(i)) odd++;
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, 0);
    return 0;
}
