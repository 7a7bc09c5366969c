// A thread waits in accept until another connects, and reads until the other has closed.
//@ outcomes: 1,0
//@ native
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void *call(void *unused) {
    (void)unused;
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(client, (struct sockaddr *)&address, sizeof address);
    write(client, "x", 1);
    close(client);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char byte;
    // The process's number keeps native runs apart.
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "symx %d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(server, (struct sockaddr *)&address, sizeof address);
    listen(server, 1);
    pthread_create(&thread, NULL, call, NULL);
    int accepted = accept(server, NULL, NULL);
    printf("%d,", (int)read(accepted, &byte, 1));
    printf("%d\n", (int)read(accepted, &byte, 1));
    pthread_join(thread, NULL);
    return 0;
}
