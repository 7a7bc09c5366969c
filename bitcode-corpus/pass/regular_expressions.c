// regcomp and regexec: groups, offsets, flags, errors.
//@ native
#include <regex.h>
#include <stdio.h>

static void match(const char *pattern, int flags, const char *text, int how) {
    regex_t regex;
    regmatch_t groups[4];
    char message[80];
    int error = regcomp(&regex, pattern, flags);
    if (error) {
        regerror(error, &regex, message, sizeof message);
        printf("%s: error %d %d\n", pattern, error, message[0] != 0);
        return;
    }
    printf("%s %zu: ", pattern, regex.re_nsub);
    if (regexec(&regex, text, 4, groups, how) == 0)
        for (int i = 0; i < 4; i++)
            printf("[%d,%d) ", groups[i].rm_so, groups[i].rm_eo);
    else
        printf("no match");
    printf("\n");
    regfree(&regex);
}

int main(void) {
    match("a(b*)(c|d)", REG_EXTENDED, "xxabbbd", 0);
    match("\\(ab\\)*x", 0, "ababx", 0);
    match("^HELLO$", REG_ICASE, "hello", 0);
    match("^b", REG_NEWLINE, "a\nb", 0);
    match("^a", 0, "a", REG_NOTBOL);
    match("[[:digit:]]{2,3}", REG_EXTENDED, "a1b234567", 0);
    match("(x)?(y)?z", REG_EXTENDED, "yz", 0);
    match("(a", REG_EXTENDED, "", 0);
    match("a{3,2}", REG_EXTENDED, "", 0);
    match("nothing", REG_EXTENDED | REG_NOSUB, "here", 0);
    return 0;
}
