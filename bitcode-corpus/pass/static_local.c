// Static locals keep their value between calls and are initialised once.
//@ native
#include <stdio.h>

static int next(void) {
    static int counter = 10;
    static int history[3] = {1, 2};
    history[counter % 3] += counter;
    return history[counter++ % 3];
}

int main(void) {
    for (int i = 0; i < 5; i++)
        printf("%d ", next());
    printf("\n");
    return 0;
}
