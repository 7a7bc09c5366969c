// Tables of constants of 64 megabytes.
static const char table[1 << 26] = {1, 2, 3};
static char other[1 << 26];
int main(void) {
    for (;;)
        for (unsigned i = 0; i < sizeof table; i++) other[i] = table[i] + 1;
}
