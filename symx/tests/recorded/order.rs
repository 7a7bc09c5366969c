//! Records that say more than paths, or less: the order of synchronisation, which thread had released a lock,
//! and a ring that has wrapped around.

use crate::{instrument, symx};

/// Two threads take turns at a lock as they come; each remembers whose turn came before.
const TURNS: &str = r#"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, again, changed;

static void *take_turns(void *number) {
    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&lock);
        if (last == *(int *)number) {
            again++;
        } else {
            last = *(int *)number;
            changed++;
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (again + changed == 60) abort();
    return 0;
}
"#;

/// A thread gives a lock back by waiting, another takes it and looks at what a third changes a while later.
/// The wait ends last.
const LOOKS: &str = r#"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 6

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER, shelf = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rung = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t morning;
static volatile int placed[ROUNDS];
static int bells;
static volatile int early, late;

static void *wait_at_the_desk(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&morning);
        pthread_mutex_lock(&desk);
        while (bells <= round) pthread_cond_wait(&rung, &desk);
        pthread_mutex_unlock(&desk);
    }
    return unused;
}

static void *look(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&morning);
        usleep(3000);
        pthread_mutex_lock(&desk);
        if (placed[round]) late++;
        else sched_yield(), early++;
        pthread_mutex_unlock(&desk);
    }
    return unused;
}

static void *place(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&morning);
        usleep(20000);
        pthread_mutex_lock(&shelf);
        placed[round] = 1;
        pthread_mutex_unlock(&shelf);
        pthread_mutex_lock(&desk);
        bells++;
        pthread_cond_signal(&rung);
        pthread_mutex_unlock(&desk);
    }
    return unused;
}

int main(void) {
    void *(*const tasks[])(void *) = {wait_at_the_desk, look, place};
    pthread_t threads[3];
    pthread_barrier_init(&morning, NULL, 3);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, tasks[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    if (early + late == ROUNDS) abort();
    return 0;
}
"#;

/// A thread whose record does not fit into a ring of 1 MiB.
const LONG_WAY: &str = r#"
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned odd, even;

static void *go(void *unused) {
    unsigned number = 7;
    for (int i = 0; i < 800000; i++) {
        number = number * 1664525 + 1013904223;
        if (number & 0x10000) odd++, number ^= even;
        else even += 3, number += odd;
    }
    if (odd + even > 0) abort();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, go, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"#;

/// A fault in a loop whose rounds the record counts only where it is left, while another thread is in such a
/// loop forever.
const FAULT_IN_A_LOOP: &str = r#"
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int numbers[40];
static volatile int *volatile places[40];
static volatile int sum, counted;

static void *take(void *unused) {
    places[25] = NULL;
    return unused;
}

static void *count(void *unused) {
    for (long i = 0; i < 1000000000000; i++) counted++;
    return unused;
}

int main(void) {
    for (int i = 0; i < 40; i++) places[i] = &numbers[i];
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    usleep(50000);
    for (int i = 0; i < 40; i++) sum += *places[i];
    return 0;
}
"#;

/// The library creates the threads here, and lets their functions run.
const LIBRARY_THREADS: &str = r#"
#include <cstdlib>
#include <thread>

static volatile int counter;

static void count(int turns) {
    for (int i = 0; i < turns; i++) {
        if (i % 3 == 1) continue;
        int seen = counter;
        std::this_thread::yield();
        counter = seen + 1;
    }
}

int main() {
    std::thread first(count, 6), second(count, 5);
    first.join();
    second.join();
    if (counter <= 8) abort();
}
"#;

/// The thread that wakes the other gives back the lock and has long to do before anything more of it is
/// recorded. The woken one aborts.
const WAKES: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;
char page[16 << 20];

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    while (items == 0) pthread_cond_wait(&filled, &lock);
    abort();
}

static void *give(void *unused) {
    usleep(20000);
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    memset(page, 1, sizeof page);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, give, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"#;

/// Records a program, which aborts, and follows its record; the report.
fn recorded_and_followed(source: &str, recording: &[&str]) -> String {
    failed_and_followed(("clang-22", "p.c"), source, recording, 6)
}

/// As `recorded_and_followed`, for a program that ends by a signal, in a file of that name for that compiler.
fn failed_and_followed(
    (compiler, file): (&str, &str),
    source: &str,
    recording: &[&str],
    signal: i32,
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    instrument((compiler, file), source, at);
    let recorded = symx(at, &[&["record"][..], recording, &["--", "./p"]].concat());
    assert_eq!(recorded.status.code(), Some(128 + signal), "{recorded:?}");
    let found = symx(
        at,
        &[
            "run",
            "--no-explain",
            "--guide",
            "path.prof",
            "--max-time",
            "100",
            "--json",
            "report.json",
            "p.bc",
        ],
    );
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let again = symx(at, &["replay", "p.bc", "symx-out/schedule.json"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    std::fs::read_to_string(at.join("report.json")).unwrap()
}

#[test]
fn the_order_in_which_locks_were_taken_is_tried_first() {
    for recording in [&[][..], &["--record-sync"]] {
        let report = recorded_and_followed(TURNS, recording);
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let blocked = report.pointer("/stats/blocked").and_then(serde_json::Value::as_u64);
        assert!(blocked.is_some_and(|blocked| blocked <= 4), "{recording:?} {report}");
    }
}

#[test]
fn a_lock_that_was_taken_had_been_let_go() {
    let report = recorded_and_followed(LOOKS, &[]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let blocked = report.pointer("/stats/blocked").and_then(serde_json::Value::as_u64);
    assert!(blocked.is_some_and(|blocked| blocked <= 4), "{report}");
}

#[test]
fn a_ring_that_went_round_is_no_hindrance_and_is_named() {
    let report = recorded_and_followed(LONG_WAY, &["--ring", "1"]);
    assert!(report.contains("record-beginning-lost"), "{report}");
}

#[test]
fn a_fault_in_a_loop_whose_rounds_are_not_recorded() {
    let report = failed_and_followed(("clang-22", "p.c"), FAULT_IN_A_LOOP, &[], 11);
    assert!(report.contains("null pointer"), "{report}");
}

#[test]
fn threads_that_a_library_creates() {
    let report = failed_and_followed(("clang++-22", "p.cc"), LIBRARY_THREADS, &[], 6);
    assert!(report.contains("abort"), "{report}");
}

#[test]
fn who_was_woken_fails_before_more_is_recorded_of_its_waker() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    instrument(("clang-22", "p.c"), WAKES, at);
    let recorded = symx(at, &["record", "--", "./p"]);
    assert_eq!(recorded.status.code(), Some(128 + 6), "{recorded:?}");
    for engine in ["search", "synthesis"] {
        let found = symx(
            at,
            &["run", "--no-explain", "--guide", "path.prof", "--engine", engine, "--max-time", "100", "p.bc"],
        );
        assert_eq!(found.status.code(), Some(1), "{engine}: {found:?}");
        let again = symx(at, &["replay", "p.bc", "symx-out/schedule.json"]);
        assert_eq!(again.status.code(), Some(0), "{engine}: {again:?}");
    }
}
