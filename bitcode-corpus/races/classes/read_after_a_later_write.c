// The second read races with both writes. It is only made once the later one has been.
//@ races: k-witness-harmless at 14 20
//@ races[sc,tso,pso]: single-ordering at 14 21
//@ races: k-witness-harmless at 15 20
//@ races[sc,tso,pso]: single-ordering at 15 21
//@ races[weak]: k-witness-harmless at 14 21
//@ races[weak]: k-witness-harmless at 15 21
#include <pthread.h>
#include <stddef.h>

int volatile x, seen;

static void *write(void *unused) {
    x = 1;
    x = 2;
    return unused;
}

static void *read(void *unused) {
    if (x == 2)
        seen = x;
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
