//! `symx instrument --watch` and `symx field`: candidates that native runs confirm, and those that they never
//! do.

use super::Place;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Two threads count, under a lock.
const COUNTER: &str = r#"#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *count(void *unused) {
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    return 0;
}
"#;

/// A folder with a program, its candidates, and reports of runs.
struct Installation(Place);

impl Installation {
    /// The program as bitcode, and the candidates of the program without its lock: the same accesses.
    fn new(text: &str) -> Self {
        let place = Self(Place::new(text));
        std::fs::create_dir(place.path("reports")).unwrap();
        let compile = ["-O1", "-g", "-pthread", "-emit-llvm", "-c", "prog.c", "-o", "prog.bc"];
        let compiled = Command::new("clang-22").args(compile).current_dir(place.path(".")).status().unwrap();
        assert!(compiled.success());
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.0.path().join(name)
    }

    fn symx(&self, line: &str) -> Output {
        self.0.symx(line)
    }

    fn done(&self, line: &str) {
        let output = self.symx(line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", said(&output));
    }

    fn refused(&self, line: &str, parts: &[&str]) {
        let output = self.symx(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
        parts.iter().for_each(|part| assert!(said(&output).contains(part), "{line}: {}", said(&output)));
    }

    /// Lists the candidates; little of the search is of interest.
    fn list(&self) -> Value {
        self.symx("races prog.bc --quiet --candidates --max-executions 1 --samples 0 --json list.json");
        self.json("list.json")
    }

    fn json(&self, name: &str) -> Value {
        let text = std::fs::read(self.path(name)).unwrap();
        serde_json::from_slice(&text)
            .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&text)))
    }

    fn runs(&self, times: usize) {
        for _ in 0..times {
            let run = Command::new(self.path("prog"))
                .env("SYMX_WATCH_DIR", self.path("reports"))
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert!(run.status.success());
        }
    }

    fn reports(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.path("reports")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// The exit code of `symx field` and what it says of candidate 1.
    fn field(&self) -> (Option<i32>, Value) {
        let output = self.symx("field reports --candidates list.json --json -");
        let joined: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", said(&output)));
        (output.status.code(), joined["candidates"][0].clone())
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn without_lock() -> String {
    COUNTER.replace("pthread_mutex_lock(&lock);", "").replace("pthread_mutex_unlock(&lock);", "")
}

/// A list with one candidate, the two writes of the counter, for a program that has none of its own.
fn list_of_others(place: &Installation, listed: &Value) {
    let hash = place.list()["candidates"]["program"].clone();
    let mut list = listed.clone();
    list["candidates"]["program"] = hash;
    let of_here = place.path("prog.c");
    for candidate in list["candidates"]["list"].as_array_mut().unwrap() {
        for access in candidate["accesses"].as_array_mut().unwrap() {
            access["location"]["file"] = of_here.to_str().unwrap().into();
            access["location"]["column"] = 0.into();
        }
    }
    std::fs::write(place.path("list.json"), list.to_string()).unwrap();
}

#[test]
fn a_removed_lock_is_confirmed_and_a_held_one_never() {
    let racy = Installation::new(&without_lock());
    let listed = racy.list();
    racy.done("instrument --watch 1 --candidates list.json prog.bc -o prog");
    racy.runs(50);
    assert_eq!(racy.reports().len(), 50, "one report a run");
    let (code, candidate) = racy.field();
    assert_eq!((code, candidate["end"].as_str()), (Some(1), Some("confirmed")), "{candidate}");
    std::fs::copy(&racy.reports()[0], racy.path("reports/copy.json")).unwrap();
    let (_, with_copy) = racy.field();
    assert_eq!(with_copy["runs"], candidate["runs"], "a copy of a report is no run");
    let [one, other] = [0, 1].map(|side| candidate["example"][side].clone());
    assert_ne!(one["thread"], other["thread"]);
    assert_eq!((one["address"].as_u64(), one["size"].as_u64()), (other["address"].as_u64(), Some(4)));
    let table = said(&racy.symx("field reports --candidates list.json"));
    assert!(table.contains("confirmed") && table.contains("at once"), "{table}");

    let locked = Installation::new(COUNTER);
    list_of_others(&locked, &listed);
    locked.done("instrument --watch 1 --candidates list.json prog.bc -o prog");
    locked.runs(50);
    let (code, candidate) = locked.field();
    assert_eq!((code, candidate["results"]["seen"].as_u64()), (Some(0), Some(0)), "{candidate}");
    assert_eq!(candidate["runs"].as_u64(), Some(50));
    assert_eq!(candidate["results"]["ordered"].as_u64(), Some(50), "{candidate}");
    let met = candidate["met"].as_array().unwrap();
    assert!(met.iter().all(|met| met.as_u64() == Some(50 * 400)), "{candidate}");
}

/// A macro's accesses are all at one source location. Those of an atomic variable are not the candidate's.
#[test]
fn atomic_accesses_of_a_macro_are_none_of_its_plain_ones() {
    let text = r#"#include <pthread.h>
#include <stdatomic.h>
int plain, is_plain;
atomic_int flag;
#define PUBLISH(value) do { if (is_plain) plain = (value); atomic_store(&flag, (value)); } while (0)
static void *publish(void *unused) {
    for (int i = 0; i < 200; i++)
        PUBLISH(i);
    return unused;
}
int main(int count, char **arguments) {
    (void)arguments;
    is_plain = count > 1;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, publish, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;
    let place = Installation::new(text);
    let listed = place.list();
    assert_eq!(listed["candidates"]["list"][0]["objects"][0].as_str(), Some("plain"));
    place.done("instrument --watch 1 --candidates list.json prog.bc -o prog");
    place.runs(10);
    let (code, candidate) = place.field();
    assert_eq!((code, candidate["end"].as_str()), (Some(0), Some("not-met")), "{candidate}");
}

#[test]
fn reports_are_private_and_end_with_the_process_however_it_ends() {
    use std::os::unix::fs::PermissionsExt;
    let ends = [
        ("return 0;", "\"end\":\"exit\""),
        ("_exit(3);", "\"end\":\"_exit\""),
        ("abort();", "\"end\":\"signal 6\""),
        ("*(volatile int *)8 = 1;", "\"end\":\"signal 11\""),
        ("raise(SIGTERM);", "\"end\":\"signal 15\""),
    ];
    let header = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
    for (end, expected) in ends {
        let place = Installation::new(&format!("{header}{}", without_lock().replace("return 0;", end)));
        place.list();
        place.done("instrument --watch 1 --candidates list.json prog.bc -o prog");
        let run = |with: Option<PathBuf>| {
            let mut command = Command::new(place.path("prog"));
            command.envs(with.map(|folder| ("SYMX_WATCH_DIR", folder)));
            command.stdin(Stdio::null()).output().unwrap();
        };
        run(None);
        run(Some(PathBuf::from("reports")));
        assert!(place.reports().is_empty(), "a folder that is not absolute is none");
        run(Some(place.path("reports")));
        let [report] = &place.reports()[..] else { panic!("{end}: one report") };
        let text = std::fs::read_to_string(report).unwrap();
        assert!(text.contains(expected), "{end}: {text}");
        assert_eq!(std::fs::metadata(report).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let place = Installation::new(&without_lock());
    let count = place.list()["candidates"]["list"].as_array().unwrap().len();
    let build = |options: &str| format!("instrument {options} prog.bc -o prog");
    place.refused(
        &build("--watch 99 --candidates list.json"),
        &["list.json", "no candidate 99", &format!("{count}")],
    );
    place.refused(&build("--watch 1 --candidates prog.c"), &["prog.c", "not a result"]);
    place.refused(&build("--candidates list.json"), &["--watch"]);
    let listed = place.json("list.json");
    let mut moved = listed.clone();
    moved["candidates"]["list"][0]["accesses"][0]["location"]["line"] = 9999.into();
    std::fs::write(place.path("moved.json"), moved.to_string()).unwrap();
    place.refused(&build("--watch 1 --candidates moved.json"), &["candidate 1: no code at", ":9999"]);

    place.done(&build("--watch 1 --candidates list.json"));
    place.runs(1);
    let report = place.reports().remove(0);
    let text = std::fs::read_to_string(&report).unwrap();
    let name = report.file_name().unwrap().to_str().unwrap();
    let damaged = |text: &str, why: &str| {
        std::fs::write(&report, text).unwrap();
        place.refused("field reports --candidates list.json", &[name, why]);
    };
    damaged(&text[..text.len() / 2], "damaged");
    damaged(&text.replace("\"format\":1", "\"format\":7"), "format version 7");
    damaged(&text.replace("\"candidate\":1", "\"candidate\":98"), "candidate 98");
    let hash = listed["candidates"]["program"].as_str().unwrap();
    damaged(&text.replace(hash, &"ab".repeat(32)), "another program");

    // The same text is another program once it is compiled elsewhere.
    let other = Installation::new(&format!("{}\nint more;\n", without_lock()));
    std::fs::copy(place.path("list.json"), other.path("list.json")).unwrap();
    let line = "instrument --watch 1 --candidates list.json prog.bc -o prog";
    other.refused(line, &["list.json", "another program"]);
}

#[test]
fn a_campaign_hands_out_the_least_watched_candidate() {
    let place = Installation::new(&without_lock().replace("static int", "static volatile int"));
    let count = place.list()["candidates"]["list"].as_array().unwrap().len();
    assert!(count > 1, "a read and a write race with the write");
    let line = "instrument --campaign all.json --candidates list.json prog.bc -o prog";
    for _ in 0..=count {
        place.done(line);
    }
    let campaign = place.json("all.json");
    let assignments = campaign["assignments"].as_array().unwrap();
    let numbers: Vec<_> =
        assignments.iter().map(|made| made["candidate"].as_u64().unwrap() as usize).collect();
    assert_eq!(numbers, (1..=count).chain([1]).collect::<Vec<_>>());
    assert!(Path::new(&place.path("prog")).exists());
}
