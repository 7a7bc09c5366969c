// String and character conversions of printf, and the count it returns.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>

int main(void) {
    int written = printf("[%s] [%8s] [%-8s] [%.2s] [%8.2s]\n", "word", "word", "word", "word", "word");
    printf("%d\n", written);
    printf("[%c] [%3c] [%-3c] [%%]\n", 'a', 'b', 'c');
    printf("%s%s", "", "\n");
    int at = 0;
    printf("count%n these\n", &at);
    printf("%d\n", at);
    return 0;
}
