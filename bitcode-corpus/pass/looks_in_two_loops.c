// A loop of looks within another loop: what each of the outer rounds has seen counts.
//@ outcomes: 00 01 02 10 11 12 20 21 22
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag, other_flag;
static int rounds_with_flag, began_late;

static void *look(void *unused) {
    int seen = 0;
    for (int outer = 0; outer < 2; outer++) {
        int there = 0;
        for (int inner = 0; inner < 3; inner++)
            if (atomic_load(&flag)) {
                there = 1;
                break;
            }
        seen += there;
    }
    rounds_with_flag = seen;
    return unused;
}

// The inner loop begins where the outer one is.
static void *look_less_and_less(void *unused) {
    int seen = 0;
    for (int outer = 1; outer < 3; outer++)
        for (int inner = outer; inner < 3; inner++)
            if (atomic_load(&other_flag)) {
                seen++;
                break;
            }
    began_late = seen;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&other, NULL, look_less_and_less, NULL);
    atomic_store(&flag, 1);
    atomic_store(&other_flag, 1);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d%d\n", rounds_with_flag, began_late);
    return 0;
}
