// A static function with a pointer: the object behind it has the stated size.
//@ flags: --entry sum --entry-bytes 12
//@ cflags: -O0 -Xclang -disable-O0-optnone
static int sum(const int *numbers, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total ^= numbers[i]; //~ ERROR: of an object of 12 bytes given to `sum`
    return total;
}

int main(void) {
    int numbers[1] = {0};
    return sum(numbers, 1);
}
