//! `symx races --candidates` on a program whose static analysis takes longer than there is time.

use super::Place;
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Functions that call each other through pointers, and each hand a variable of their own on: a set of a
/// thousand variables goes along a million calls, which takes most of a minute. It runs in no time.
fn much_to_analyse() -> String {
    const FUNCTIONS: usize = 1000;
    let mut text = format!(
        "#include <pthread.h>\nstruct node {{ struct node *next; int value; }};\n\
         typedef void function(struct node *);\nstatic function *table[{FUNCTIONS}];\nint seen;\n\
         static void *work(void *unused) {{ seen = 1; return unused; }}\n"
    );
    for number in 0..FUNCTIONS {
        text.push_str(&format!(
            "static struct node n{number};\nstatic void f{number}(struct node *node) {{\n    \
             if (node->next) table[node->value % {FUNCTIONS}](node->next);\n    node->next = &n{number};\n}}\n"
        ));
    }
    let names: Vec<String> = (0..FUNCTIONS).map(|number| format!("f{number}")).collect();
    text.push_str(&format!("static function *table[{FUNCTIONS}] = {{ {} }};\n", names.join(", ")));
    text.push_str(
        "int main(int count, char **words) {\n    (void)words;\n    pthread_t thread;\n    \
         pthread_create(&thread, NULL, work, NULL);\n    seen = 2;\n    pthread_join(thread, NULL);\n    \
         if (count > 5) table[count](&n0);\n    return 0;\n}\n",
    );
    text
}

/// An end after this time is no end from outside, even beside other tests: the analysis alone takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether an entry of `incomplete` says that the analysis ended, for this reason.
fn names_the_analysis(report: &Value, reason: &str) -> bool {
    let cuts = report["incomplete"].as_array().unwrap();
    cuts.iter().any(|cut| {
        let what = cut["what"].as_str().unwrap_or_default();
        cut["reason"] == reason && what == "the static analysis ended early, with no candidate so far"
    })
}

#[test]
fn the_analysis_ends_with_the_time_and_leaves_some_to_the_search() {
    let place = Place::new(&much_to_analyse());
    let began = Instant::now();
    let (code, report) = place.races("--candidates --max-time 1");
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    assert_eq!((code, report["verdict"].as_str()), (Some(3), Some("incomplete")));
    assert!(names_the_analysis(&report, "max-time"), "{}", report["incomplete"]);
    let candidates = &report["candidates"];
    assert_eq!(candidates["analysis_ended"].as_str(), Some("max-time"));
    assert!(candidates["analysis_ms"].as_u64() >= Some(400), "half of the time: {candidates}");
    let said = String::from_utf8(place.symx("races prog.c --candidates --max-time 1").stdout).unwrap();
    assert!(said.contains("the static analysis ended early (max-time)"), "{said}");
}

#[test]
fn the_analysis_ends_with_the_memory() {
    let place = Place::new(&much_to_analyse());
    // The libraries alone take more.
    let (code, report) = place.races("--candidates --max-memory 1");
    assert_eq!(code, Some(3));
    assert!(names_the_analysis(&report, "max-memory"), "{}", report["incomplete"]);
}

/// The program, with a report of a race between two of its lines.
fn with_a_report(text: &str, lines: [&str; 2]) -> Place {
    let line = |what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    let place = Place::new(text);
    let report = format!(
        "==1== Possible data race during write of size 4 at 0x10C014 by thread #2\n==1== Locks held: none\n\
         ==1==    at 0x109199: work (prog.c:{})\n==1== \n\
         ==1== This conflicts with a previous write of size 4 by thread #1\n==1== Locks held: none\n\
         ==1==    at 0x109176: main (prog.c:{})\n==1== \n",
        line(lines[0]),
        line(lines[1])
    );
    place.write("helgrind.txt", &report);
    place
}

#[test]
fn a_report_is_searched_for_though_the_analysis_ends_early() {
    let text = much_to_analyse();
    let place = with_a_report(&text, ["seen = 1", "seen = 2"]);
    let (code, report) = place.races("--candidates helgrind.txt --max-time 20");
    assert_eq!(code, Some(3));
    assert!(names_the_analysis(&report, "max-time"), "{}", report["incomplete"]);
    let candidate = &report["candidates"]["list"][0];
    assert_eq!((candidate["source"].as_str(), candidate["line"].as_u64()), (Some("helgrind"), Some(1)));
    assert_eq!(candidate["end"].as_str(), Some("confirmed"), "{candidate}");
    assert!(candidate["is_static"].is_null(), "not known: {candidate}");
}

/// One limit ends the analysis and the exploration, and the report has one line for both.
#[test]
fn what_was_not_explored_is_not_refuted() {
    let place = with_a_report(&much_to_analyse(), ["seen = 2", "seen = 2"]);
    let (code, report) = place.races("--candidates helgrind.txt --max-memory 1");
    assert_eq!(code, Some(3));
    let candidate = &report["candidates"]["list"][0];
    assert_eq!(candidate["end"].as_str(), Some("open"), "{candidate}");
}

/// Waits until the process has a handler for SIGINT: its budget has begun.
fn wait_for_handler(child: &Child) {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
        if caught & 1 << 1 != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no handler for SIGINT");
}

#[test]
fn ctrl_c_ends_the_analysis() {
    let place = Place::new(&much_to_analyse());
    let mut child = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["races", "prog.c", "--quiet", "--candidates", "--json", "result.json"])
        .current_dir(place.0.path())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_handler(&child);
    std::thread::sleep(Duration::from_millis(300));
    let signalled = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    assert!(signalled.elapsed() < PATIENCE, "{:?}", signalled.elapsed());
    assert_eq!(status.code(), Some(3));
    let report = std::fs::read(place.0.path().join("result.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert!(names_the_analysis(&report, "interrupted"), "{}", report["incomplete"]);
    assert_eq!(report["candidates"]["analysis_ended"].as_str(), Some("interrupted"));
}
