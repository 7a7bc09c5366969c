// Atomic objects that no instruction is wide enough for: the calls of libatomic are one step each.
//@ cflags: -O1 -Wno-atomic-alignment
//@ outcomes: 6,60,600
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    int one, ten, hundred;
} triple;
typedef struct {
    long words[4];
} wide;

static triple shared;
static _Atomic wide words;

static void *add(void *argument) {
    int count = *(int *)argument;
    triple known, next;
    __atomic_load(&shared, &known, __ATOMIC_SEQ_CST);
    do {
        assert(known.ten == 10 * known.one && known.hundred == 100 * known.one);
        next = (triple){known.one + count, known.ten + 10 * count, known.hundred + 100 * count};
    } while (!__atomic_compare_exchange(&shared, &known, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int counts[2] = {2, 3};
    triple first = {1, 10, 100}, seen, last, none = {0, 0, 0};
    __atomic_store(&shared, &first, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &counts[i]);
    __atomic_load(&shared, &seen, __ATOMIC_SEQ_CST);
    assert(seen.ten == 10 * seen.one && seen.hundred == 100 * seen.one);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    __atomic_exchange(&shared, &none, &last, __ATOMIC_SEQ_CST);
    atomic_store(&words, ((wide){{1, 2, 3, 4}}));
    wide all = atomic_load(&words);
    assert(all.words[0] == 1 && all.words[3] == 4);
    printf("%d,%d,%d\n", last.one, last.ten, last.hundred);
    return 0;
}
