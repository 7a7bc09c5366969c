/* A handler interrupts instrumented loops many times. What installs it is the argument. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/time.h>

extern sighandler_t __sysv_signal(int number, sighandler_t handler);
extern sighandler_t bsd_signal(int number, sighandler_t handler);

static volatile int ticks, odd;

static int parity(int n) { return n % 2 ? 1 : 0; }

static const char *way = "signal";

static void tick(int number);

static sighandler_t install(void) {
    if (strcmp(way, "__sysv_signal") == 0) return __sysv_signal(SIGALRM, tick);
    if (strcmp(way, "bsd_signal") == 0) return bsd_signal(SIGALRM, tick);
    if (strcmp(way, "sigset") == 0) return sigset(SIGALRM, tick);
    return signal(SIGALRM, tick);
}

static void tick(int number) {
    (void)number;
    /* System V's signal has forgotten it. */
    if (strcmp(way, "__sysv_signal") == 0 && install() != SIG_DFL) ticks += 1000;
    ticks += parity(ticks) + 1;
}

/* Whether the functions tell what was so before. */
static int begin(int count, char **arguments) {
    if (count > 1) way = arguments[1];
    if (install() != SIG_DFL) return 2;
    if (strcmp(way, "sigset") == 0)
        if (sigset(SIGALRM, SIG_HOLD) != tick || install() != SIG_HOLD || install() != tick) return 3;
    return 0;
}

int main(int count, char **arguments) {
    int wrong = begin(count, arguments);
    struct itimerval every = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &every, 0);
    for (int i = 0; ticks < 40; i++)
        if (parity(i)) odd++;
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, 0);
    return wrong;
}
