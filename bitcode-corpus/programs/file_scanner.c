// Parallel file scanner: which files below a directory contain a pattern, and
// on how many lines.
//
//   file_scanner DIRECTORY PATTERN [WORKERS [CAPACITY]]
//
// The main thread walks DIRECTORY and puts the path of every file into a
// bounded queue; workers take paths and scan the files. The report is in the
// order of the walk and does not depend on the schedule.
//
// The bug, after pfscan as in Symbiosis (TOSEM'16, Fig. 2): `get` tests
// `filled` outside the lock and, finding the queue non-empty, goes on to take a
// path without testing again. Two workers that both see the last path both try
// to take it; for the slower one `filled` is 0 and the assertion fails. Built
// with -DFIXED, the test is repeated under the lock.
//
// The `//~` annotation below describes the build without -DFIXED; the build
// with -DFIXED has no error in any schedule.
//
//   clang -O1 -g -pthread file_scanner.c -o file_scanner
//   ./file_scanner input/notes seed 2 2

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 8, MAX_CAPACITY = 16, MAX_FILES = 64, MAX_PATH = 256, MAX_LINE = 512 };

// A file found by the walk and what its scan gave.
struct file {
    char path[MAX_PATH];
    int matches;
    bool readable;
};

// A ring of files waiting for a worker; `filled` of them, the oldest at `first`.
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t more;
    pthread_cond_t less;
    struct file *files[MAX_CAPACITY];
    int capacity;
    int first;
    int filled;
    bool closed;
};

struct scanner {
    struct queue queue;
    const char *pattern;
    struct file files[MAX_FILES];
    int file_count;
    pthread_mutex_t total_mutex;
    int total_matches;
};

static void put(struct queue *queue, struct file *file) {
    pthread_mutex_lock(&queue->mutex);
    while (queue->filled == queue->capacity)
        pthread_cond_wait(&queue->less, &queue->mutex);
    queue->files[(queue->first + queue->filled) % queue->capacity] = file;
    queue->filled++;
    pthread_cond_signal(&queue->more);
    pthread_mutex_unlock(&queue->mutex);
}

static void close_queue(struct queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->closed = true;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->mutex);
}

// The oldest file in the queue; NULL when it is empty and closed.
static struct file *get(struct queue *queue) {
#ifndef FIXED
    // No lock is held here: `filled` may be stale by the time it is used.
    bool wait = queue->filled == 0;
#else
    bool wait = true;
#endif
    pthread_mutex_lock(&queue->mutex);
    if (wait) {
        while (queue->filled == 0 && !queue->closed)
            pthread_cond_wait(&queue->more, &queue->mutex);
        if (queue->filled == 0) {
            pthread_mutex_unlock(&queue->mutex);
            return NULL;
        }
    }
    assert(queue->filled > 0); //~ ERROR: assertion failed
    queue->filled--;
    struct file *file = queue->files[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    pthread_cond_signal(&queue->less);
    pthread_mutex_unlock(&queue->mutex);
    return file;
}

// Whether `pattern` occurs in `line`.
static bool contains(const char *line, const char *pattern) {
    for (; *line != '\0'; line++) {
        int i = 0;
        while (pattern[i] != '\0' && line[i] == pattern[i])
            i++;
        if (pattern[i] == '\0')
            return true;
    }
    return false;
}

static void scan(struct file *file, const char *pattern) {
    FILE *stream = fopen(file->path, "r");
    if (stream == NULL)
        return;
    char line[MAX_LINE];
    while (fgets(line, sizeof line, stream) != NULL)
        if (contains(line, pattern))
            file->matches++;
    fclose(stream);
    file->readable = true;
}

static void *work(void *argument) {
    struct scanner *scanner = argument;
    for (;;) {
        struct file *file = get(&scanner->queue);
        if (file == NULL)
            return NULL;
        scan(file, scanner->pattern);
        pthread_mutex_lock(&scanner->total_mutex);
        scanner->total_matches += file->matches;
        pthread_mutex_unlock(&scanner->total_mutex);
    }
}

// The names in a directory, sorted. Sorting by counting, for each name, how many
// are smaller takes the same branches whatever the order in which the file
// system lists them, so that the path of a run depends on the schedule only.
static int list_directory(DIR *directory, char names[MAX_FILES][MAX_PATH]) {
    static char listed[MAX_FILES][MAX_PATH];
    int count = 0;
    struct dirent *entry;
    while (count < MAX_FILES && (entry = readdir(directory)) != NULL) {
        strncpy(listed[count], entry->d_name, MAX_PATH - 1);
        count++;
    }
    for (int i = 0; i < count; i++) {
        int smaller = 0;
        for (int j = 0; j < count; j++)
            smaller += strcmp(listed[j], listed[i]) < 0;
        strcpy(names[smaller], listed[i]);
    }
    return count;
}

static void walk(struct scanner *scanner, const char *path);

static void walk_directory(struct scanner *scanner, const char *path, DIR *directory) {
    char(*names)[MAX_PATH] = calloc(MAX_FILES, MAX_PATH);
    if (names == NULL)
        return;
    int count = list_directory(directory, names);
    for (int i = 0; i < count; i++) {
        if (names[i][0] == '.')
            continue;
        char child[MAX_PATH];
        int length = snprintf(child, sizeof child, "%s/%s", path, names[i]);
        if (length < MAX_PATH)
            walk(scanner, child);
    }
    free(names);
}

// Queues the file at `path`, or every file below it.
static void walk(struct scanner *scanner, const char *path) {
    DIR *directory = opendir(path);
    if (directory != NULL) {
        walk_directory(scanner, path, directory);
        closedir(directory);
        return;
    }
    if (scanner->file_count == MAX_FILES)
        return;
    struct file *file = &scanner->files[scanner->file_count++];
    strcpy(file->path, path);
    put(&scanner->queue, file);
}

static int report(const struct scanner *scanner) {
    int status = 0;
    int sum = 0;
    for (int i = 0; i < scanner->file_count; i++) {
        const struct file *file = &scanner->files[i];
        if (!file->readable) {
            fprintf(stderr, "file_scanner: cannot read %s\n", file->path);
            status = 1;
        } else if (file->matches > 0) {
            printf("%s: %d\n", file->path, file->matches);
        }
        sum += file->matches;
    }
    assert(sum == scanner->total_matches);
    printf("%d matching lines in %d files\n", sum, scanner->file_count);
    return status;
}

// The value of an optional count argument.
static int count_argument(int argc, char **argv, int index, int fallback, int most) {
    if (index >= argc)
        return fallback;
    int value = atoi(argv[index]);
    if (value < 1 || value > most) {
        fprintf(stderr, "%s: %s is not a number from 1 to %d\n", argv[0], argv[index], most);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5 || strlen(argv[1]) >= MAX_PATH) {
        fprintf(stderr, "usage: file_scanner DIRECTORY PATTERN [WORKERS [CAPACITY]]\n");
        return 2;
    }
    int workers = count_argument(argc, argv, 3, 2, MAX_WORKERS);
    int capacity = count_argument(argc, argv, 4, 2, MAX_CAPACITY);

    static struct scanner scanner;
    scanner.pattern = argv[2];
    scanner.queue.capacity = capacity;
    pthread_mutex_init(&scanner.queue.mutex, NULL);
    pthread_cond_init(&scanner.queue.more, NULL);
    pthread_cond_init(&scanner.queue.less, NULL);
    pthread_mutex_init(&scanner.total_mutex, NULL);

    pthread_t threads[MAX_WORKERS];
    for (int i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, work, &scanner);
    walk(&scanner, argv[1]);
    close_queue(&scanner.queue);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);

    return report(&scanner);
}
