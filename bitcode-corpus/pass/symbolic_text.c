// Paths of a recogniser of numbers over 5 symbolic bytes: digits, then the end, something else, or a point with digits
// of its own. With d < 5 leading digits there are 1 + (5 - d) ways to go on, with 5 there is one: 21 in all.
//@ executions: 21

void klee_make_symbolic(void *address, unsigned long size, const char *name);

#define LENGTH 5

static int is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

int main(void) {
    char text[LENGTH + 1];
    klee_make_symbolic(text, sizeof text, "text");
    text[LENGTH] = 0;
    const char *at = text;
    while (is_digit(*at)) at++;
    if (*at == '.') {
        at++;
        while (is_digit(*at)) at++;
    }
    // The path has decided what the first byte is, if anything came after it.
    if (at - text > 1) return !(is_digit(text[0]) || text[0] == '.');
    return 0;
}
