// The memory of an argument that is passed by value is read at the call.
//@ flags: --check race
#include <pthread.h>

struct numbers {
    long first, second, third;
};

static struct numbers numbers;

__attribute__((noinline)) long second_of(struct numbers of) { return of.second; }

static void *write(void *unused) {
    numbers.second = 1; //~ ERROR: data race on `numbers.second`
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, write, NULL);
    long seen = second_of(numbers);
    pthread_join(thread, NULL);
    return seen > 1;
}
