// A reader looks twice, and fails if a writer comes in between. Main waits for both, so the reader may begin
// without preemption. One preemption shows the failure, none does not.
//@ flags: --search preemptions
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void *write(void *unused) {
    x = 1;
    return unused;
}

static void *read(void *unused) {
    int first = x;
    int second = x;
    assert(first == second); //~ ERROR: assertion failed
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write, NULL);
    pthread_create(&reader, NULL, read, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
