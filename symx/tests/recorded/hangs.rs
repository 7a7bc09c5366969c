//! Native runs that hang are followed to the deadlock, however they were ended.

use crate::symx;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The signal is lost: the thread looks at what it waits for outside the lock.
const LOST_SIGNAL: &str = r#"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *wait(void *unused) {
    if (!ready) {
        usleep(200000);
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
"#;

/// Two locks in opposite orders, in C++.
const OPPOSITE_LOCKS: &str = r#"
#include <chrono>
#include <mutex>
#include <thread>

static std::mutex first, second;

static void both(std::mutex &one, std::mutex &other) {
    std::lock_guard<std::mutex> outer(one);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::lock_guard<std::mutex> inner(other);
}

int main() {
    std::thread thread([] { both(first, second); });
    both(second, first);
    thread.join();
}
"#;

/// A thread waits for itself, and another one polls for what that would do then.
const POLLED: &str = r#"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready;

static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    while (!ready)
        usleep(1000);
    pthread_join(thread, NULL);
    return 0;
}
"#;

fn instrumented(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let made = symx(folder.path(), &["instrument", name, "-o", "made"]);
    assert!(made.status.success(), "{made:?}");
    folder
}

fn is_followed_to(what: &str, at: &Path, name: &str) {
    let followed = symx(at, &["run", "--guide", "path.prof", "--max-time", "60", name]);
    let told = String::from_utf8_lossy(&followed.stdout);
    assert!(followed.status.code() == Some(1) && told.contains(what), "{followed:?}");
    assert!(what == "deadlock" || told.contains("BLOCKED: lock lock"), "{followed:?}");
}

#[test]
fn one_that_its_time_limit_ended() {
    let seldom = POLLED.replace("usleep(1000)", "sleep(2)");
    let waits = POLLED.replace("usleep(1000);", ";");
    for (name, text, what) in [
        ("lost.c", LOST_SIGNAL, "deadlock"),
        ("opposite.cc", OPPOSITE_LOCKS, "deadlock"),
        ("polled.c", POLLED, "livelock"),
        ("seldom.c", seldom.as_str(), "livelock"),
        ("spins.c", waits.as_str(), "livelock"),
    ] {
        let folder = instrumented(name, text);
        let recorded = symx(folder.path(), &["record", "--timeout", "1", "--", "./made"]);
        assert_eq!(recorded.status.code(), Some(128 + 9), "{recorded:?}");
        is_followed_to(what, folder.path(), name);
    }
}

/// The number of the process that executes a file.
fn process_of(file: &Path) -> Option<String> {
    let executes = |entry: &std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("exe")).is_ok_and(|program| program == file)
    };
    let found = std::fs::read_dir("/proc").ok()?.flatten().find(executes)?;
    found.file_name().into_string().ok()
}

#[test]
fn one_that_a_signal_ended() {
    for signal in ["TERM", "ABRT"] {
        let folder = instrumented("lost.c", LOST_SIGNAL);
        let at = folder.path().canonicalize().unwrap();
        let mut recording = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(["record", "--quiet", "--", "./made"])
            .current_dir(&at)
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        let process = loop {
            match process_of(&at.join("made")) {
                Some(process) => break process,
                None => assert!(Instant::now() < end, "it was not started"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        std::thread::sleep(Duration::from_secs(1));
        assert!(Command::new("kill").args(["-s", signal, &process]).status().unwrap().success());
        assert!(recording.wait().unwrap().code().is_some_and(|code| code > 128));
        is_followed_to("deadlock", &at, "lost.c");
    }
}
