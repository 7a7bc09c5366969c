// What two threads write comes in either order, though each write touches the open file and what is behind it.
//@ outcomes: aba abb baa bab

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int last;

static void *write_letter(void *argument) {
    write(1, argument, 1);
    atomic_store_explicit(&last, *(char *)argument, memory_order_relaxed);
    return argument;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, write_letter, "a");
    pthread_create(&other, 0, write_letter, "b");
    pthread_join(one, 0);
    pthread_join(other, 0);
    char letter = (char)atomic_load_explicit(&last, memory_order_relaxed);
    write(1, &letter, 1);
    return 0;
}
