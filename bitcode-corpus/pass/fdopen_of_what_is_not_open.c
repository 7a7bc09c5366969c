// fdopen: the descriptor must be open for what the mode says.
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void try(int descriptor, const char *mode) {
    errno = 0;
    FILE *stream = fdopen(descriptor, mode);
    printf("%d %d\n", stream != NULL, errno == EBADF ? 1 : errno == EINVAL ? 2 : 0);
}

int main(void) {
    int source = open("/dev/null", O_RDONLY), sink = open("/dev/null", O_WRONLY);
    try(source, "r");
    try(source, "w");
    try(source, "r+");
    try(sink, "r");
    try(sink, "a");
    try(55, "r");
    try(sink, "");
    printf("%d\n", fopen("/dev/null", "") == NULL);
    return 0;
}
