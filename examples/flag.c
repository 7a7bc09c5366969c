// A flag that tells another thread that an answer is there, without any synchronisation: a data race.
//
//     symx run --check race examples/flag.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     data-race: nothing orders these: T0 main reads ready = 0 (flag.c:27), and T1 publish writes ready =
//       1 (:20).
//     suggested fix: make the accesses to `ready` at flag.c:27 and :20 atomic (sequentially consistent).
//       Verified: no failure in any execution.

#include <pthread.h>
#include <stdio.h>

static int ready;
static int answer;

static void *publish(void *unused) {
    answer = 42;
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (ready)
        printf("%d\n", answer);
    pthread_join(thread, NULL);
    return 0;
}
