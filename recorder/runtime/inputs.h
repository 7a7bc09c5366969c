#ifndef SYMX_RECORDER_INPUTS_H
#define SYMX_RECORDER_INPUTS_H

/* What external calls answered through which input enters the program: a file a thread, mapped like its log. The file
 * is there once the thread has made such a call. Its layout is described in src/input_file.rs; the numbers of the
 * functions are their places in symx-trace, module profile::recorded_call. */

#include "log.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

enum input_function {
    FILLING, /* nothing; the rest of a chunk */
    TIME,
    GETTIMEOFDAY,
    CLOCK_GETTIME,
    CLOCK,
    RAND,
    RANDOM,
    GETPID,
    GETPPID,
    GETRANDOM,
    GETENTROPY,
    READ,
    RECV,
    FGETC,
    GETC,
    GETCHAR,
    FGETS,
    FREAD,
    FEOF,
};

enum { INPUT_CHUNK_BYTES = 1 << 16, ANSWERED = 1, ANEW = 2 };

/* What was written into the buffer follows, filled up to 32 bytes. */
struct input {
    uint16_t function;
    uint8_t kind; /* stored last; 0 where the file ends */
    uint8_t unused;
    int32_t error;
    uint64_t bytes;
    int64_t result;
    uint64_t times;
};

struct input_log {
    char *at, *end, *chunk;
    size_t chunk_bytes;
    uint64_t file_bytes;
    struct input *last_anew;
    int is_off;
};

static _Thread_local struct input_log inputs;
static int inputs_are_off, is_input_a_file;

static size_t filled_up(size_t bytes) { return (bytes + 31) & ~(size_t)31; }

static void begin_input(struct input *input, uint16_t function, uint64_t bytes, int64_t result, int error) {
    input->function = function;
    input->error = error;
    input->bytes = bytes;
    input->result = result;
    input->times = 1;
}

static void end_input(struct input *input, uint8_t kind) { *(volatile uint8_t *)&input->kind = kind; }

/* Where an input of so many bytes goes; NULL if there is no room. */
static struct input *room_for_input(size_t bytes) {
    size_t needed = sizeof(struct input) + filled_up(bytes);
    if (inputs.is_off || inputs_are_off || self.at.state != RECORDING) return NULL;
    if ((size_t)(inputs.end - inputs.at) < needed) {
        size_t chunk_bytes = needed > INPUT_CHUNK_BYTES ? (needed + PAGE - 1) & ~(size_t)(PAGE - 1) : INPUT_CHUNK_BYTES;
        int file = open_own_file("inputs", inputs.chunk == NULL ? O_CREAT | O_EXCL : 0);
        char *chunk = file < 0 ? MAP_FAILED : map_part(file, inputs.file_bytes, chunk_bytes, chunk_bytes);
        if (file >= 0) close(file);
        if (chunk == MAP_FAILED) {
            inputs.is_off = 1;
            return NULL;
        }
        if (inputs.at < inputs.end) {
            struct input *filling = (struct input *)inputs.at;
            begin_input(filling, FILLING, (size_t)(inputs.end - inputs.at) - sizeof *filling, 0, 0);
            end_input(filling, ANSWERED);
        }
        if (inputs.chunk != NULL) munmap(inputs.chunk, inputs.chunk_bytes);
        inputs.at = inputs.chunk = chunk;
        inputs.end = chunk + chunk_bytes;
        inputs.chunk_bytes = chunk_bytes;
        inputs.file_bytes += chunk_bytes;
        inputs.last_anew = NULL;
    }
    struct input *input = (struct input *)inputs.at;
    inputs.at += needed;
    return input;
}

/* Notes an answer; `errno` is as it was behind the call, and stays so. */
static void note(uint16_t function, int64_t result, const void *bytes, size_t count) {
    int error = errno;
    struct input *input = room_for_input(count);
    if (input != NULL) {
        begin_input(input, function, count, result, error);
        if (count > 0) memcpy(input + 1, bytes, count);
        end_input(input, ANSWERED);
        inputs.last_anew = NULL;
    }
    errno = error;
}

/* Notes a call that is to be answered anew. */
static void note_anew(uint16_t function) {
    int error = errno;
    struct input *last = inputs.last_anew;
    if (last != NULL && last->function == function && self.at.state == RECORDING) {
        *(volatile uint64_t *)&last->times = last->times + 1;
    } else if ((last = room_for_input(0)) != NULL) {
        begin_input(last, function, 0, 0, 0);
        end_input(last, ANEW);
        inputs.last_anew = last;
    }
    errno = error;
}

static void forget_inputs(void) {
    if (inputs.chunk != NULL) munmap(inputs.chunk, inputs.chunk_bytes);
    inputs = (struct input_log){.is_off = 1};
}

/* Files are read again where the run is reproduced. Standard input that is a file is in the profile. */
static int is_file(int descriptor) {
    struct stat status;
    int error = errno;
    int is = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    errno = error;
    return is;
}

static int is_answered_anew(FILE *stream) { return stream != stdin || is_input_a_file; }

time_t symx_recorder_time(time_t *out) {
    time_t result = time(out);
    note(TIME, result, out, out == NULL ? 0 : sizeof *out);
    return result;
}

int symx_recorder_gettimeofday(struct timeval *out, void *zone) {
    int result = gettimeofday(out, zone);
    note(GETTIMEOFDAY, result, out, result == 0 ? sizeof *out : 0);
    return result;
}

int symx_recorder_clock_gettime(clockid_t clock, struct timespec *out) {
    int result = clock_gettime(clock, out);
    note(CLOCK_GETTIME, result, out, result == 0 ? sizeof *out : 0);
    return result;
}

clock_t symx_recorder_clock(void) {
    clock_t result = clock();
    note(CLOCK, result, NULL, 0);
    return result;
}

int symx_recorder_rand(void) {
    int result = rand();
    note(RAND, result, NULL, 0);
    return result;
}

long symx_recorder_random(void) {
    long result = random();
    note(RANDOM, result, NULL, 0);
    return result;
}

pid_t symx_recorder_getpid(void) {
    pid_t result = getpid();
    note(GETPID, result, NULL, 0);
    return result;
}

pid_t symx_recorder_getppid(void) {
    pid_t result = getppid();
    note(GETPPID, result, NULL, 0);
    return result;
}

ssize_t symx_recorder_getrandom(void *out, size_t bytes, unsigned flags) {
    ssize_t result = getrandom(out, bytes, flags);
    note(GETRANDOM, result, out, result > 0 ? (size_t)result : 0);
    return result;
}

int symx_recorder_getentropy(void *out, size_t bytes) {
    int result = getentropy(out, bytes);
    note(GETENTROPY, result, out, result == 0 ? bytes : 0);
    return result;
}

ssize_t symx_recorder_read(int descriptor, void *out, size_t bytes) {
    ssize_t result = read(descriptor, out, bytes);
    if (is_file(descriptor)) note_anew(READ);
    else note(READ, result, out, result > 0 ? (size_t)result : 0);
    return result;
}

ssize_t symx_recorder_recv(int descriptor, void *out, size_t bytes, int flags) {
    ssize_t result = recv(descriptor, out, bytes, flags);
    note(RECV, result, out, result > 0 ? (size_t)result : 0);
    return result;
}

static int note_character(uint16_t function, FILE *stream, int result) {
    if (is_answered_anew(stream)) note_anew(function);
    else note(function, result, NULL, 0);
    return result;
}

int symx_recorder_fgetc(FILE *stream) { return note_character(FGETC, stream, fgetc(stream)); }

int symx_recorder_getc(FILE *stream) { return note_character(GETC, stream, getc(stream)); }

int symx_recorder_getchar(void) { return note_character(GETCHAR, stdin, getchar()); }

char *symx_recorder_fgets(char *out, int bytes, FILE *stream) {
    char *result = fgets(out, bytes, stream);
    if (is_answered_anew(stream)) note_anew(FGETS);
    else note(FGETS, result != NULL, out, result == NULL ? 0 : strlen(out) + 1);
    return result;
}

size_t symx_recorder_fread(void *out, size_t size, size_t count, FILE *stream) {
    size_t result = fread(out, size, count, stream);
    if (is_answered_anew(stream)) note_anew(FREAD);
    else note(FREAD, (int64_t)result, out, result * size);
    return result;
}

int symx_recorder_feof(FILE *stream) {
    int result = feof(stream);
    if (is_answered_anew(stream)) note_anew(FEOF);
    else note(FEOF, result != 0, NULL, 0);
    return result;
}

#endif
