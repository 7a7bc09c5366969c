/* Bubble sort of COUNT symbolic numbers: a path an order, COUNT! of them (ties go with one of the orders). */
#ifndef COUNT
#define COUNT 6
#endif

void klee_make_symbolic(void *address, unsigned long size, const char *name);

int main(void) {
    int numbers[COUNT];
    klee_make_symbolic(numbers, sizeof numbers, "numbers");
    for (int end = COUNT - 1; end > 0; end--) {
        for (int index = 0; index < end; index++) {
            if (numbers[index] > numbers[index + 1]) {
                /* The swap goes through volatile memory, so that no compiler turns the branch into a choice. */
                volatile int kept = numbers[index];
                numbers[index] = numbers[index + 1];
                numbers[index + 1] = kept;
            }
        }
    }
    return 0;
}
