// A thread says that it has done with a variable before it has. No other thread has used the variable.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int is_done;
static pthread_t thread;

static void *count(void *argument) {
    is_done = 1;
    ++*(int *)argument; //~ ERROR: use after return
    return NULL;
}

static void begin(void) {
    int number = 0;
    pthread_create(&thread, NULL, count, &number);
    if (!is_done)
        pthread_join(thread, NULL);
}

int main(void) {
    begin();
    if (is_done == 2)
        return 1;
    return 0;
}
