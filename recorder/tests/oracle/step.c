/* step LOG ORACLE OUT WINDOW_BYTES PROGRAM ARGUMENT...: lets a program take single steps from where it stops itself, and has what
 * it left so far copied to OUT each time it changed: the thread's file, and how many bytes of the oracle's are written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 1 << 10, STACK = 1 << 20, PAGE = 4096 };

static void *map(const char *name, size_t *bytes) {
    int file = open(name, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) exit(2);
    *bytes = (size_t)status.st_size;
    void *start = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, file, 0);
    if (start == MAP_FAILED) exit(3);
    close(file);
    return start;
}

int main(int count, char **arguments) {
    if (count < 6) return 1;
    size_t part = PAGE + FRAMES * 8, window = (size_t)atol(arguments[4]), log_bytes, oracle_bytes;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[5], arguments + 5);
        _exit(4);
    }
    int status;
    do {
        if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return 5;
        if (WSTOPSIG(status) != SIGSTOP) ptrace(PTRACE_CONT, child, NULL, NULL);
    } while (WSTOPSIG(status) != SIGSTOP);
    const char *log = map(arguments[1], &log_bytes);
    const int32_t *oracle = map(arguments[2], &oracle_bytes);
    /* Behind the header and the shadow stack. */
    size_t units = PAGE + STACK * 8;
    char *before = calloc(1, part + window);
    int32_t events = 0, told = -1;
    for (long step = 0, samples = 0;; step++) {
        while (oracle[events] != 0) events++;
        if (told != events || memcmp(before, log, part) != 0 || memcmp(before + part, log + units, window) != 0) {
            memcpy(before, log, part);
            memcpy(before + part, log + units, window);
            told = events;
            char name[4096];
            snprintf(name, sizeof name, "%s/%ld-%d", arguments[3], samples++, events);
            mkdir(name, 0700);
            strcat(name, "/0.thread");
            int out = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
            if (out < 0 || ftruncate(out, (off_t)log_bytes) != 0) return 6;
            if (pwrite(out, before, part, 0) != (ssize_t)part) return 7;
            if (pwrite(out, before + part, window, (off_t)units) != (ssize_t)window) return 8;
            close(out);
        }
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) < 0) return 9;
        if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? 0 : 10;
        if (!WIFSTOPPED(status)) return 11;
    }
}
