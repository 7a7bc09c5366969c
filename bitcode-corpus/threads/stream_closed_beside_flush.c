// fflush(NULL) goes through the open streams while a thread closes one: that stays until the list has been gone through.
//@ outcomes: 4
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *end(void *file) {
    fclose(file);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char text[8];
    FILE *file = fopen("/tmp/text", "w");
    fputs("text", file);
    pthread_create(&thread, NULL, end, file);
    fflush(NULL);
    pthread_join(thread, NULL);
    int other = open("/tmp/text", O_RDONLY);
    printf("%d", (int)read(other, text, sizeof text));
    return 0;
}
