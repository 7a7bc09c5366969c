// Writing past an array on the stack.
static volatile int count = 5;

__attribute__((noinline)) static void fill(volatile int *array, int n) {
    for (int i = 0; i < n; i++)
        array[i] = i; //~ ERROR: out of bounds
}

int main(void) {
    volatile int array[4];
    fill(array, count);
    return array[0];
}
