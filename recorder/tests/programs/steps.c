/* Stretches without calls in every form: loops of several kinds in a function that calls something in between, and functions that
 * call nothing. It tells each block in a file of its own (see oracle::trace_inline), which takes no call either. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int told[64];
int *oracle_next = told;

static volatile int values[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static volatile int sum;

/* Loops with one way round, with two and with an exit in the middle, one within another. */
static int whole(int turns) {
    int found = 0;
    for (int i = 0; i < turns; i++) {
        for (int j = 0; j < i % 4; j++) found += j;
        if (values[i & 15] > 4) found++;
        else sum ^= i;
        if (values[i & 15] == 6 && turns > 7) return found;
        while (values[found & 15] == 9) found += values[found & 7];
    }
    if (found % 3 == 0) sum++;
    return found;
}

/* Nothing changes in it but memory: what is logged is counted. */
static void waits(int turns) {
    sum = turns;
    while (sum > 0) sum--;
}

static int deep(int level) { return level == 0 ? whole(3) : deep(level - 1) + level % 2; }

/* Stretches that begin and end among calls. */
static int parts(int turns) {
    int found = whole(turns);
    if (found & 1) sum += found;
    for (int i = 0; i < turns; i++) found += values[i & 15];
    for (int i = 0; i < turns; i++) {
        if (i % 3 == 1) found += deep(1);
        for (int j = 0; j <= i % 3; j++) sum += j;
        for (int j = 0; j < 3; j++) {
            if (values[(i + j) & 15] < 4) continue;
            if (j == 2) sum--;
            found ^= j;
        }
        if (found > 1000) break;
    }
    waits(turns);
    return found;
}

#define LOOP for (int i = 0; i < turns; i++) sum ^= i;
#define LOOPS_10 LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP

/* More loops than a unit can name. */
static void many(int turns) { LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 }

/* More rounds than a unit can count. */
static int far(int turns) {
    int last = 0;
    for (int i = 0; i < turns; i++) last = values[i & 15];
    return last;
}

int main(int count, char **arguments) {
    if (count < 2) return 1;
    int file = open(arguments[1], O_RDWR);
    int *all = mmap(NULL, 1 << 23, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    memcpy(all, told, sizeof told);
    oracle_next = all + (oracle_next - told);
    for (int times = count > 2 ? atoi(arguments[2]) : 0; times > 0; times--) {
        raise(SIGSTOP);
        sum += whole(7);
    }
    raise(SIGSTOP);
    for (int turns = 0; turns < 9; turns += 2) sum += parts(turns);
    many(values[1]);
    sum += far(140) + whole(8);
    return 0;
}
