// Locked instructions in inline assembly are atomic operations of the program: no increment is lost in any schedule.
#include <assert.h>
#include <pthread.h>

static int counter, word, flag;

static int fetch_add(int *at, int by) {
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(by), "+m"(*at) : : "memory", "cc");
    return by;
}

static int exchange(int *at, int value) {
    __asm__ __volatile__("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}

static unsigned char compare_exchange(int *at, int *expected, int wanted) {
    unsigned char done;
    __asm__ __volatile__("lock cmpxchgl %3, %1\n\tsetz %2"
                         : "+a"(*expected), "+m"(*at), "=q"(done)
                         : "r"(wanted)
                         : "memory", "cc");
    return done;
}

static void *work(void *unused) {
    (void)unused;
    __asm__ __volatile__("lock; incl %0" : "+m"(counter) : : "memory", "cc");
    fetch_add(&word, 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(counter == 2 && word == 4);

    assert(fetch_add(&counter, -2) == 2 && counter == 0);
    assert(exchange(&word, 9) == 4 && word == 9);
    int expected = 8;
    assert(!compare_exchange(&word, &expected, 1) && expected == 9 && word == 9);
    assert(compare_exchange(&word, &expected, 1) && word == 1);
    _Bool zero;
    __asm__("lock decl %0" : "+m"(word), "=@ccz"(zero) : : "memory");
    assert(zero && word == 0);
    __asm__("lock orl $5, %0" : "+m"(flag) : : "memory", "cc");
    __asm__("lock andq $4, %0" : "+m"(*(long *)&(long[1]){flag}) : : "memory", "cc");
    assert(flag == 5);
    return 0;
}
