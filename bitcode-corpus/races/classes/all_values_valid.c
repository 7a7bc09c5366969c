// Portend's AVV: threads write different values, of which any will do.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 9
#include <pthread.h>
#include <stdio.h>

int hint;

static void *work(void *number) {
    hint = number ? 3 : 5; // writes

    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &hint);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts(hint > 0 ? "valid" : "invalid");
    return 0;
}
