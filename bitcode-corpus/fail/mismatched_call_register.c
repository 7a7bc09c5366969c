// A function of a double is called as one of a long, which travels in another register.
#include <stdio.h>

static double half(double number) { return number / 2; }

static void *volatile function = (void *)half;

int main(void) {
    double (*pointer)(long) = (double (*)(long))function;
    printf("%f\n", pointer(6)); //~ ERROR: argument 1 is passed in another register than its parameter
    return 0;
}
