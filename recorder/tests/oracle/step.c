/* step LOG ORACLE OUT BYTES FROM SINCE MOST PROGRAM ARGUMENT...: lets a program take single steps from where it stops itself when there
 * is something at FROM in the thread's log. Once there is something at SINCE, what it left is copied to OUT each time it changed, at
 * most MOST times: the thread's file with so many BYTES of the log, and in its name how many words of the oracle's are written. What the
 * log has not come to, from there to the end of the window, is filled with what might have been logged before. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, FRAMES = 1 << 10, STACK = 1 << 20, BEFORE_STACK_ENDS = PAGE + FRAMES * 8, LOG = PAGE + STACK * 8, WINDOW = 1 << 16 };

/* Writes a file with holes; 0 if that fails. */
static int write_parts(const char *name, const char *parts, size_t log_bytes, off_t length) {
    int out = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (out < 0 || ftruncate(out, length) != 0) return 0;
    if (pwrite(out, parts, BEFORE_STACK_ENDS, 0) != BEFORE_STACK_ENDS) return 0;
    if (pwrite(out, parts + BEFORE_STACK_ENDS, log_bytes, LOG) != (ssize_t)log_bytes) return 0;
    return close(out) == 0;
}

static int is_something(int log, long at) {
    uint16_t unit = 0;
    return pread(log, &unit, sizeof unit, LOG + at) == sizeof unit && unit != 0;
}

static int fill(int log, long at) {
    while (is_something(log, at)) at += 2;
    /* Behind the 0 that ends the log. */
    for (at += 2; at % WINDOW != 0; at += 2) {
        uint16_t unit = 5;
        if (pwrite(log, &unit, sizeof unit, LOG + at) != sizeof unit) return 0;
    }
    return 1;
}

int main(int count, char **arguments) {
    if (count < 9) return 1;
    size_t bytes = (size_t)atol(arguments[4]), all = BEFORE_STACK_ENDS + bytes;
    long from = atol(arguments[5]), since = atol(arguments[6]), most = atol(arguments[7]);
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[8], arguments + 8);
        _exit(2);
    }
    int status, log = -1;
    for (;;) {
        if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return 3;
        if (WSTOPSIG(status) == SIGSTOP) {
            if (log < 0) log = open(arguments[1], O_RDWR);
            if (is_something(log, from)) break;
        }
        ptrace(PTRACE_CONT, child, NULL, NULL);
    }
    if (!fill(log, since)) return 11;
    int trace = open(arguments[2], O_RDONLY);
    struct stat file;
    if (trace < 0 || fstat(trace, &file) != 0) return 4;
    const int32_t *oracle = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, trace, 0);
    if (oracle == MAP_FAILED) return 5;
    char *now = calloc(2, all), *before = now + all;
    long samples = 0;
    for (int32_t events = 0, told = -1; samples < most;) {
        while (oracle[events] != 0) events++;
        if (pread(log, now, BEFORE_STACK_ENDS, 0) < 0 || pread(log, now + BEFORE_STACK_ENDS, bytes, LOG) < 0) return 6;
        if ((told != events || memcmp(before, now, all) != 0) && is_something(log, since)) {
            memcpy(before, now, all);
            told = events;
            char name[4096];
            snprintf(name, sizeof name, "%s/%ld-%d", arguments[3], samples++, events);
            mkdir(name, 0700);
            strcat(name, "/0.thread");
            if (fstat(log, &file) != 0 || !write_parts(name, now, bytes, file.st_size)) return 7;
        }
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) < 0) return 8;
        if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? 0 : 9;
        if (!WIFSTOPPED(status)) return 10;
    }
    kill(child, SIGKILL);
    return 0;
}
