/* Threads, recursion, loops, a switch, callbacks and a nested thread; argv[1] says how it ends. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *ending = "normal";
static volatile int shared;
static volatile int *volatile nowhere;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int leaf(int x) { return x * 3 + 1; }

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int classify(int x) {
    switch (x % 7) {
    case 0: return 10;
    case 1:
    case 2: return x > 50 ? leaf(x) : 11;
    case 5: x += 3; /* falls through */
    case 6: return x;
    default: return -1;
    }
}

static int descending(const void *a, const void *b) {
    int left = *(const int *)a, right = *(const int *)b;
    if (left == right) return 0;
    return left > right ? -1 : 1;
}

static int collatz(unsigned n) {
    int steps = 0;
    do {
        if (n % 2 == 0) n /= 2;
        else n = 3 * n + 1;
        if (++steps > 1000) break;
    } while (n != 1);
    return steps;
}

static void end_here(void) {
    if (strcmp(ending, "abort") == 0) abort();
    if (strcmp(ending, "segv") == 0) shared = *nowhere;
    if (strcmp(ending, "exit") == 0) _exit(7);
    if (strcmp(ending, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(ending, "leave") == 0) pthread_exit(NULL);
}

static void *grandchild(void *argument) {
    for (int i = 0; i < 5; i++) shared += classify(i + (int)(long)argument);
    end_here();
    return NULL;
}

static void *child(void *argument) {
    int seed = (int)(long)argument, values[20];
    for (int i = 0; i < 20; i++) values[i] = (i * 37 + seed * 11) % 23;
    qsort(values, 20, sizeof *values, descending);
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        shared += values[i] > 10 ? classify(values[i]) : collatz((unsigned)values[i] + 1);
        pthread_mutex_unlock(&lock);
    }
    if (seed == 2) {
        pthread_t thread;
        pthread_create(&thread, NULL, grandchild, argument);
        pthread_join(thread, NULL);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1) ending = argv[1];
    pthread_t threads[3];
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, child, (void *)(i + 1));
    shared += fibonacci(9);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return classify(shared) == -2;
}
