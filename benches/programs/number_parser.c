/* A recogniser of numbers (sign, digits, fraction, exponent) over LENGTH symbolic bytes. */
#ifndef LENGTH
#define LENGTH 14
#endif

void klee_make_symbolic(void *address, unsigned long size, const char *name);

static int is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

int main(void) {
    char text[LENGTH + 1];
    klee_make_symbolic(text, sizeof text, "text");
    text[LENGTH] = 0;
    const char *at = text;
    volatile int kind = 0;
    if (*at == '-' || *at == '+') at++;
    if (!is_digit(*at)) return 0;
    while (is_digit(*at)) at++;
    if (*at == '.') {
        kind = 1;
        at++;
        while (is_digit(*at)) at++;
    }
    if (*at == 'e' || *at == 'E') {
        kind = 2;
        at++;
        if (*at == '-' || *at == '+') at++;
        if (!is_digit(*at)) return 0;
        while (is_digit(*at)) at++;
    }
    if (*at) return 0;
    return 0;
}
