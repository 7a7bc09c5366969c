#ifndef SYMX_WATCH_REPORT_H
#define SYMX_WATCH_REPORT_H

/* The report of a process that watched: one line of JSON in a file of its own. symx/src/races/field/report.rs reads it. It is
 * written whole under another name first, so that a process that is killed leaves no half of one. */

#include "order.h"

enum { REPORT_FORMAT = 1 };

/* Where reports go; empty if nowhere. */
static char directory[3072];
static pid_t process;
static uint64_t process_began; /* real time, in nanoseconds: numbers of processes come again */
static uint32_t reports_begun;

static uint64_t met_at(unsigned location) {
    uint64_t sum = peek(passed_by_reused[location]);
    uint32_t count = load(threads_claimed);
    for (struct thread *thread = threads; thread < threads + count; thread++)
        sum += thread->passed[location] + (thread->drawn[location] - thread->left[location]);
    return sum;
}

static int print_seen(char *to, size_t room) {
    int length = 0;
    for (int i = 0; i < 2; i++) {
        const struct access *access = &seen[i];
        length += snprintf(to + length, room - (size_t)length, "%s{\"thread\":\"%s\",\"address\":%llu,\"size\":%llu,\"writes\":%s}",
                           i == 0 ? ",\"seen\":[" : ",", access->name, (unsigned long long)access->address,
                           (unsigned long long)access->size, access->what & WRITES ? "true" : "false");
    }
    return length + snprintf(to + length, room - (size_t)length, "]");
}

/* Threads may go on while a report is written: the result is of the counts that are written beside it. */
static const char *result(int was_seen, const uint64_t *met, const uint64_t *pairs) {
    if (was_seen) return "seen";
    if (met[0] == 0 && met[1] == 0) return "not-met";
    if (met[0] == 0 || met[1] == 0) return "one-met";
    return pairs[0] > 0 && pairs[1] == 0 ? "ordered" : "both-met";
}

static void write_report(const char *end) {
    if (directory[0] == 0 || getpid() != process) return;
    int saved_errno = errno;
    char program[65], text[2048], path[sizeof directory + 128], part[sizeof path + 16];
    for (int i = 0; i < 32; i++) snprintf(program + 2 * i, 3, "%02x", symx_watch_program[i]);
    uint64_t met[2] = {met_at(0), met_at(symx_watch_is_one_location ? 0 : 1)};
    uint64_t pairs[2] = {peek(ordered), peek(unordered)};
    int was_seen = load(is_seen) == 2;
    int length = snprintf(text, sizeof text,
                          "{\"format\":%d,\"program\":\"%s\",\"candidate\":%u,\"pair\":\"%016llx\",\"result\":\"%s\","
                          "\"met\":[%llu,%llu],\"ordered\":%llu,\"unordered\":%llu,\"delays\":%llu,\"held_ns\":%llu,"
                          "\"run_ns\":%llu,\"threads\":%llu,\"end\":\"%s\"",
                          REPORT_FORMAT, program, symx_watch_candidate, (unsigned long long)symx_watch_pair,
                          result(was_seen, met, pairs),
                          (unsigned long long)met[0], (unsigned long long)met[1], (unsigned long long)pairs[0],
                          (unsigned long long)pairs[1], (unsigned long long)peek(delays), (unsigned long long)peek(held_ns),
                          (unsigned long long)(now() - started), (unsigned long long)peek(threads_begun), end);
    if (was_seen) length += print_seen(text + length, sizeof text - (size_t)length);
    length += snprintf(text + length, sizeof text - (size_t)length, "}\n");
    snprintf(path, sizeof path, "%s/%.16s-%u-%llx-%d.json", directory, program, symx_watch_candidate,
             (unsigned long long)process_began, (int)process);
    snprintf(part, sizeof part, "%s.%u.part", path, __atomic_add_fetch(&reports_begun, 1, __ATOMIC_RELAXED));
    int out = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out >= 0) {
        /* Not through the library: its functions may end the thread. */
        int is_whole = syscall(SYS_write, out, text, (size_t)length) == length;
        syscall(SYS_close, out);
        if (!is_whole || rename(part, path) != 0) unlink(part);
    }
    errno = saved_errno;
}

#endif
