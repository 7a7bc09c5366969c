// getopt as glibc has it: clusters, arguments, operands that move to the end, "--", and what it says of mistakes.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

static void scan(int count, char **words, const char *letters) {
    int letter;
    optind = 0;
    while ((letter = getopt(count, words, letters)) != -1)
        printf("%c:%s:%d:%c ", letter > 1 ? letter : '1', optarg ? optarg : "-", optind, optopt ? optopt : '0');
    printf("|");
    for (int at = optind; at < count; at++)
        printf(" %s", words[at]);
    printf("\n");
}

#define SCAN(letters, ...) do { \
        char *words[] = { "prog", __VA_ARGS__, 0 }; \
        scan(sizeof words / sizeof *words - 1, words, letters); \
    } while (0)

int main(void) {
    dup2(1, 2);
    setvbuf(stdout, 0, _IONBF, 0);
    SCAN("ab:c", "-a", "-b", "x", "-cbrest", "file");
    SCAN("ab:c", "one", "-a", "two", "-b", "val", "three", "-c");
    SCAN("ab:c", "one", "-a", "--", "-b", "two");
    SCAN("+ab:c", "one", "-a");
    SCAN("-ab:", "one", "-a", "two");
    SCAN("ab::c", "-b", "-bval", "-c");
    SCAN("ab:", "-x", "-a", "-b");
    SCAN(":ab:", "-x", "-b");
    SCAN("a", "-", "-a");
    SCAN("a", "--", "--", "-a");
    return 0;
}
