/* The primes below SIZE, one byte a number: loads and stores of single bytes. */
#define SIZE 300000
#define PRIMES_BELOW_SIZE 25997

static char composite[SIZE];

int main(void) {
    int primes = 0;
    for (int number = 2; number < SIZE; number++) {
        if (composite[number]) continue;
        primes++;
        for (int multiple = 2 * number; multiple < SIZE; multiple += number) composite[multiple] = 1;
    }
    return primes != PRIMES_BELOW_SIZE;
}
