/* A handler interrupts instrumented loops many times. What installs it is the argument. Each alarm is asked for
 * by the handler of the one before: with System V's signal, one that came earlier would end the process. */
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

/* Asks for the next alarm, in microseconds from now; 0 for none. */
static void ask_in(long microseconds) {
    struct itimerval once = {{0, 0}, {0, microseconds}};
    setitimer(ITIMER_REAL, &once, 0);
}

static void tick(int number) {
    (void)number;
    /* System V's signal has forgotten it. */
    if (strcmp(way, "__sysv_signal") == 0 && install() != SIG_DFL) ticks += 1000;
    ticks += parity(ticks) + 1;
    ask_in(500);
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
    ask_in(500);
    for (int i = 0; ticks < 40; i++)
        if (parity(i)) odd++;
    ask_in(0);
    return wrong;
}
