// Which level the journal ends with depends on the race, and nothing else that the program writes does.
//@ races[sc,tso,pso,weak]: output-differs at 11 17
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

char level;

static void *raise_level(void *unused) {
    // As late as it likes.
    level = 1;
    return unused;
}

static void *note_level(void *unused) {
    int journal = open("/tmp/journal", O_CREAT | O_WRONLY, 0600);
    char seen = '0' + level;
    write(journal, &seen, 1);
    close(journal);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, raise_level, NULL);
    pthread_create(&threads[1], NULL, note_level, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
