/* Logs much between two checks for room: hundreds of loops, and more paths than there are numbers, again and again. */
static volatile unsigned sum;

#define LOOP for (unsigned i = 0; i < (turn & 3); i++) sum ^= i;
#define LOOPS_10 LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP
#define LOOPS_100 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10 LOOPS_10
#define CHOICE state = state * 1103515245u + 12345u; if (state & 0x10000) sum += state;
#define CHOICES_10 CHOICE CHOICE CHOICE CHOICE CHOICE CHOICE CHOICE CHOICE CHOICE CHOICE
#define CHOICES_100                                                                                                            \
    CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10 CHOICES_10

int main(void) {
    unsigned state = 1;
    for (unsigned turn = 0; turn < 500; turn++) {
        LOOPS_100 LOOPS_100 LOOPS_100
        CHOICES_100
    }
    return 0;
}
