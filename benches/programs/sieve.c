/* The primes below SIZE, one byte a number: loads and stores of single bytes. */
#define SIZE 300000
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define PRIMES_BELOW_SIZE 25997

static char composite[SIZE];

static int sieve(void) {
    int primes = 0;
    for (int number = 0; number < SIZE; number++) composite[number] = 0;
    for (int number = 2; number < SIZE; number++) {
        if (composite[number]) continue;
        primes++;
        for (int multiple = 2 * number; multiple < SIZE; multiple += number) composite[multiple] = 1;
    }
    return primes;
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        if (sieve() != PRIMES_BELOW_SIZE) return 1;
    }
    return 0;
}
