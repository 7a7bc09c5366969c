// getopt_long and getopt_long_only: shortened names, arguments, flags, and what they say of mistakes.
//@ native
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

static int flag;
static const struct option options[] = {
    {"verbose", no_argument, 0, 'v'}, {"output", required_argument, 0, 'o'}, {"level", optional_argument, 0, 'l'},
    {"version", no_argument, 0, 'V'}, {"flag", no_argument, &flag, 7}, {0, 0, 0, 0}};

static void scan(int only, int count, char **words) {
    int letter, index = -1;
    optind = 0, flag = 0;
    while ((letter = (only ? getopt_long_only : getopt_long)(count, words, "vo:l::", options, &index)) != -1)
        printf("%d:%s:%d:%d ", letter, optarg ? optarg : "-", index, optind);
    printf("flag=%d |", flag);
    for (int at = optind; at < count; at++)
        printf(" %s", words[at]);
    printf("\n");
}

#define SCAN(only, ...) do { \
        char *words[] = { "prog", __VA_ARGS__, 0 }; \
        scan(only, sizeof words / sizeof *words - 1, words); \
    } while (0)

int main(void) {
    dup2(1, 2);
    setvbuf(stdout, 0, _IONBF, 0);
    SCAN(0, "--verbose", "file", "--output=x", "--output", "y", "--level", "--level=3", "rest");
    SCAN(0, "--verb", "--out", "z", "--flag", "--", "--flag");
    SCAN(0, "--ver", "--unknown", "--verbose=1", "--output");
    SCAN(0, "-vox", "-l", "-l5", "a", "-v");
    SCAN(1, "-verbose", "-output", "q", "-o", "r", "-flag", "-nothing", "-v");
    return 0;
}
