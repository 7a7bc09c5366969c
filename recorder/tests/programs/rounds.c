/* Loops with one way round: runs shorter and longer than a unit counts, one within another, one with two ends. */
static volatile int sum;

static void rounds(int turns) {
    for (int i = 0; i < turns; i++) sum += i;
}

static void nested(int outer, int inner) {
    for (int i = 0; i < outer; i++)
        for (int j = 0; j < inner; j++) sum ^= j;
}

static void two_ends(int turns) {
    int i = 0;
    for (;;) {
        if (++i > turns) break;
        if (i % 3 == 0) continue;
        sum -= i;
    }
}

static volatile int left;

/* Nothing in it changes but memory, as in a loop that waits for another thread. */
static void waits(int turns) {
    left = turns;
    while (left > 0) left--;
}

static volatile int values[64];
static volatile int *volatile places[64];

static int looks(int turns) {
    int found = 0;
    for (int i = 0; i < turns; i++) found += *places[i];
    return found;
}

/* Another loop within one whose rounds end in different ways: what is counted is told before what comes after. */
static void mixed(int turns) {
    for (int i = 0; i < turns; i++) {
        if (i % 2 == 0) sum += i;
        for (int j = 0; j < i % 5; j++) sum ^= j;
    }
}

#define LOOP for (int i = 0; i < turns; i++) sum ^= i;
#define LOOPS_10 LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP

/* More loops than a unit can name. */
static void many(int turns) { LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 }

int main(int count, char **arguments) {
    (void)arguments;
    for (int place = 0; place < 64; place++) places[place] = place < 40 ? &values[place] : 0;
    for (int turns = 0; turns < 6; turns++) rounds(turns);
    rounds(20000);
    rounds(126);
    rounds(127);
    rounds(128);
    nested(7, 5);
    nested(3, 0);
    two_ends(30);
    for (int turns = 0; turns < 4; turns++) waits(turns);
    waits(20000);
    mixed(10);
    looks(40);
    many(3);
    /* The place behind the last leads nowhere. */
    return count > 1 ? looks(41) : 0;
}
