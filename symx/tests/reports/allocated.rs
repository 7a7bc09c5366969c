//! Names of what is on the heap, and of the elements of arrays whose length only the program knows.

use super::names::{compile, objects};
use super::{read, symx};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Runs a source as compiled at this level of optimisation: the folder with what comes of it, and what is
/// printed.
fn run_compiled(level: &str, file: &str, source: &str) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), source).unwrap();
    compile(folder.path(), level, file);
    let run = symx(folder.path(), &["run", Path::new(file).with_extension("bc").to_str().unwrap()]);
    (folder, run)
}

/// What a field first points to is called by it.
const OF_FIELDS: &str = "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int value; struct node *next; };\n\
    static struct { long size; struct node *first; } list;\n\
    static void *work(void *unused) {\n    list.first->value = 1;\n    list.first->next->value = 2;\n    return unused;\n}\n\
    int main(void) {\n    pthread_t thread;\n    list.first = malloc(sizeof *list.first);\n    struct node *head = list.first;\n\
    head->next = malloc(sizeof *head);\n    head->next->next = 0;\n    pthread_create(&thread, 0, work, 0);\n\
    free(head->next);\n    pthread_join(thread, 0);\n    free(list.first);\n    return 0;\n}\n";

#[test]
fn what_a_field_points_to_is_called_by_it() {
    for level in ["-O0", "-O1"] {
        let (folder, run) = run_compiled(level, "fields.c", OF_FIELDS);
        assert_eq!(run.status.code(), Some(1), "{level}");
        let explanation = read(folder.path(), "symx-out/failure-1.explanation.json");
        assert!(!explanation.contains("heap("), "{level}: {explanation}");
        assert!(explanation.contains("head->next->value"), "{level}: {explanation}");
    }
}

/// A function allocates for others.
const WRAPPED: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstruct queue { int used; int size; };\n\
    static void *allocate(size_t size) {\n    void *memory = calloc(size, 1);\n    if (!memory)\n        abort();\n\
    return memory;\n}\n\
    static void *work(void *shared) {\n    struct queue *mine = shared;\n    mine->used++;\n    return 0;\n}\n\
    int main(void) {\n    pthread_t a, b;\n    struct queue *queue = allocate(sizeof *queue);\n\
    pthread_create(&a, 0, work, queue);\n    pthread_create(&b, 0, work, queue);\n    pthread_join(a, 0);\n\
    pthread_join(b, 0);\n    assert(queue->used == 2);\n    free(queue);\n    return 0;\n}\n";

#[test]
fn what_a_function_allocates_for_others_is_called_by_its_callers_variable() {
    for level in ["-O0", "-O1"] {
        let (_folder, run) = run_compiled(level, "wrapped.c", WRAPPED);
        let told = String::from_utf8(run.stdout).unwrap();
        assert!(told.contains("queue->used") && !told.contains("memory"), "{level}: {told}");
    }
}

/// The type of what is allocated is that of what a function returns; its own variable has none.
const MADE: &str = "#include <cassert>\n#include <cstdlib>\n#include <new>\n#include <thread>\n\
    struct Counter { int reads = 0, writes = 0; };\nstatic void *room(size_t size) { return std::malloc(size); }\n\
    template <typename T> static T *make() {\n    void *place = room(sizeof(T));\n\
    return place ? new (place) T() : nullptr;\n}\nint main() {\n    Counter *counter = make<Counter>();\n\
    std::thread other([=] { counter->writes++; });\n    counter->writes++;\n    other.join();\n\
    assert(counter->writes == 2);\n}\n";

#[test]
fn what_a_function_returns_says_of_what_type_it_is() {
    for level in ["-O0", "-O1"] {
        let (_folder, run) = run_compiled(level, "made.cc", MADE);
        let told = String::from_utf8(run.stdout).unwrap();
        assert!(told.contains("->writes"), "{level}: {told}");
    }
}

/// An owner takes what is constructed, and no variable of the program's points to it.
const CONSTRUCTED: &str = "#include <cassert>\n#include <memory>\n#include <thread>\n\
    template <typename T> struct Cell {\n    T value, spare;\n    explicit Cell(T first) : value(first), spare(first) {}\n};\n\
    int main() {\n    std::unique_ptr<Cell<int>> cell(new Cell<int>(0));\n    std::thread other([&] { cell->value++; });\n\
    cell->value++;\n    other.join();\n    assert(cell->value == 2);\n}\n";

#[test]
fn what_is_constructed_is_called_by_its_class_and_field() {
    let (folder, _) = run_compiled("-O0", "constructed.cc", CONSTRUCTED);
    let objects = objects(folder.path());
    assert!(objects.contains("Cell<int>(constructed.cc:9).value"), "{objects:?}");
}

/// Arrays whose length the source does not say: at the end of a structure, and of a variable length.
const OPEN: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
    struct message { int length; char none[0]; int words[]; };\nstatic volatile int size = 3;\nstatic int *shared;\n\
    static void *work(void *argument) {\n    struct message *mine = argument;\n    mine->words[2]++;\n    shared[1]++;\n    return 0;\n}\n\
    int main(void) {\n    pthread_t thread;\n    int counts[size];\n    counts[1] = 0;\n    shared = counts;\n\
    struct message *message = malloc(sizeof *message + 4 * sizeof(int));\n    message->words[2] = 0;\n\
    pthread_create(&thread, 0, work, message);\n    message->words[2]++;\n    counts[1]++;\n    pthread_join(thread, 0);\n\
    assert(message->words[2] + counts[1] == 4);\n    return 0;\n}\n";

#[test]
fn elements_of_arrays_of_any_length_have_their_numbers() {
    for level in ["-O0", "-O1"] {
        let (folder, _) = run_compiled(level, "open.c", OPEN);
        let objects = objects(folder.path());
        assert!(objects.contains("message->words[2]"), "{level}: {objects:?}");
        assert!(objects.iter().any(|object| object.starts_with("counts[1]")), "{level}: {objects:?}");
    }
}
