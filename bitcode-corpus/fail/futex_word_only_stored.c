// Nobody but the futex itself looks at the word: whether the store comes before that look decides about the sleep.
#include <pthread.h>
#include <unistd.h>

static int word;

static void *run(void *unused) {
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    syscall(202, &word, 0, 1, 0, 0, 0); //~ ERROR: waits for a wake-up at the futex `word`
    pthread_join(thread, NULL);
    return 0;
}
