// calloc clears, realloc keeps the contents, free takes null, aligned_alloc aligns.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *numbers = calloc(4, sizeof *numbers);
    printf("%d %d\n", numbers[0], numbers[3]);
    numbers[3] = 9;
    numbers = realloc(numbers, 100 * sizeof *numbers);
    printf("%d\n", numbers[3]);
    free(numbers);
    free(NULL);
    char *text = realloc(NULL, 8);
    strcpy(text, "seven77");
    printf("%s\n", text);
    free(text);
    void *aligned = aligned_alloc(64, 128);
    printf("%d\n", (int)((uintptr_t)aligned % 64));
    free(aligned);
    volatile size_t half = SIZE_MAX / 2;
    void *volatile impossible = calloc(half, 4);
    printf("%d\n", impossible == NULL);
    return 0;
}
