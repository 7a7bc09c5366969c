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

int main(void) {
    for (int turns = 0; turns < 6; turns++) rounds(turns);
    rounds(20000);
    rounds(12286);
    rounds(12287);
    rounds(12288);
    nested(7, 5);
    nested(3, 0);
    two_ends(30);
    return 0;
}
