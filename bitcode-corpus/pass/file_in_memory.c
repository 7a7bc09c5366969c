// A file that only a descriptor leads to is read, written, resized and mapped as others are; two of one name
// have nothing in common. A name that is too long and an unknown flag are refused.
//@ outcomes: 1,1,0,shared,shared,8,0,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;

static void *put(void *unused) {
    write(file, "shared", 6);
    return unused;
}

static int is_refused(const char *name, unsigned flags) {
    errno = 0;
    return memfd_create(name, flags) == -1 && errno == EINVAL;
}

int main(void) {
    pthread_t thread;
    struct stat status;
    char text[8] = "";
    char name[251];
    file = memfd_create("name", MFD_CLOEXEC);
    int other = memfd_create("name", 0);
    printf("%d", fcntl(file, F_GETFD) == FD_CLOEXEC && fcntl(other, F_GETFD) == 0);
    printf(",%d", fstat(file, &status) == 0 && S_ISREG(status.st_mode));
    printf(",%d", (int)status.st_size);
    pthread_create(&thread, NULL, put, NULL);
    pthread_join(thread, NULL);
    pread(file, text, 6, 0);
    printf(",%s", text);
    ftruncate(file, 8);
    char *memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    printf(",%s", memory);
    fstat(file, &status);
    printf(",%d", (int)status.st_size);
    printf(",%d", (int)read(other, text, 6));
    memset(name, 'n', 250);
    name[250] = 0;
    int longest = memfd_create(name + 1, 0);
    printf(",%d", is_refused(name, 0) && longest >= 0);
    printf(",%d\n", is_refused("name", 1U << 20));
    return 0;
}
