/* Calls: the Fibonacci number of DEPTH, the slow way. */
#define DEPTH 22
#define FIBONACCI_OF_DEPTH 17711

__attribute__((noinline)) static int fibonacci(volatile int *calls, int n) {
    ++*calls;
    if (n < 2) return n;
    int before = fibonacci(calls, n - 1);
    return before + fibonacci(calls, n - 2);
}

int main(void) {
    int calls = 0;
    return fibonacci(&calls, DEPTH) != FIBONACCI_OF_DEPTH;
}
