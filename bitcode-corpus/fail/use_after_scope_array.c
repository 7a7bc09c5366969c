// A thread uses an array of a size that is not known to the compiler, after a flag says that it has done so.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int is_done;
static volatile int size = 2;

static void *count(void *argument) {
    int *numbers = argument;
    is_done = 1;
    numbers[0]++; //~ ERROR: use after return
    return NULL;
}

int main(void) {
    pthread_t thread;
    {
        int numbers[size];
        numbers[0] = 0;
        pthread_create(&thread, NULL, count, numbers);
        if (!is_done) {
            pthread_join(thread, NULL);
            return 0;
        }
    }
    pthread_join(thread, NULL);
    return 0;
}
