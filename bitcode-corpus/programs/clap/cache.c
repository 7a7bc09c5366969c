// A cache without locks, of the size of cache4j (L) in "Concurrency Debugging with Differential Schedule Projections" (PLDI
// 2015): some 1,400 accesses to shared memory by users of the cache and a thread that cleans it.
//
//   cache [ROUNDS [WARM [USERS]]]
//
// The bug, after cache4j: a user that finds an entry full and the cleaner asleep interrupts it; by then the cleaner may be
// awake, and is interrupted in the midst of its work. Nobody interrupts before the cache is warm, after WARM rounds.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { ENTRIES = 8, FULL = 3, MOST_USERS = 8 };

static volatile int asleep, interrupted, rounds_cleaned, finished;
static volatile struct { int key, hits, size; } entries[ENTRIES];
static int rounds = 120, warm = 108, users = 3;

static void clean(void) {
    assert(!interrupted);
    for (int entry = 0; entry < ENTRIES; entry++)
        entries[entry].size = 0;
    rounds_cleaned++;
}

static void *cleaner(void *unused) {
    while (!finished) {
        asleep = 1;
        for (int i = 0; i < 6; i++)
            sched_yield();
        if (interrupted)
            interrupted = 0;
        asleep = 0;
        clean();
    }
    return unused;
}

static void *use(void *argument) {
    unsigned random = 2654435761u * ((unsigned)(long)argument + 1);
    for (int round = 0; round < rounds; round++) {
        random = random * 1103515245u + 12345u;
        int entry = (random >> 16) % ENTRIES, key = 1 + (random >> 20) % 3;
        if (entries[entry].key == key) {
            entries[entry].hits++;
            continue;
        }
        entries[entry].key = key;
        if (++entries[entry].size > FULL && round >= warm && asleep)
            interrupted = 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc > 1)
        rounds = atoi(argv[1]);
    if (argc > 2)
        warm = atoi(argv[2]);
    if (argc > 3)
        users = atoi(argv[3]);
    if (rounds < 1 || users < 1 || users > MOST_USERS)
        return 2;
    pthread_t cleans, user[MOST_USERS];
    pthread_create(&cleans, NULL, cleaner, NULL);
    for (long i = 0; i < users; i++)
        pthread_create(&user[i], NULL, use, (void *)i);
    for (int i = 0; i < users; i++)
        pthread_join(user[i], NULL);
    finished = 1;
    pthread_join(cleans, NULL);
    return 0;
}
