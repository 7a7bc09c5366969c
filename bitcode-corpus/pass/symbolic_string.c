// A comparison with a keyword finds the one input that matches.
//@ outcomes: no yes
#include <stdio.h>
#include <string.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(unsigned long condition);

int main(void) {
    char word[4];
    klee_make_symbolic(word, sizeof word, "word");
    klee_assume(word[3] == '\0');
    puts(strcmp(word, "key") == 0 ? "yes" : "no");
    return 0;
}
