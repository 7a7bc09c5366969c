//! `symx races` on the command line: its exit codes, its report, schedules that replay, suppressions,
//! what-if.

mod ended_analysis;
mod in_the_field;
mod parts;

use serde_json::Value;
use std::process::{Command, Output, Stdio};

/// A folder with a program where symx runs.
struct Place(tempfile::TempDir);

impl Place {
    fn new(text: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("prog.c", text);
        place
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn symx(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The exit code and the report of `symx races prog.c OPTIONS`.
    fn races(&self, options: &str) -> (Option<i32>, Value) {
        let output = self.symx(&format!("races prog.c --quiet --json - {options}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {errors}"));
        (output.status.code(), report)
    }
}

/// One thread writes what the other prints, under a lock.
const PRINTER: &str = r#"#include <pthread.h>
#include <stdio.h>
#include <symx.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared, unset;
static void *set(void *unused) {
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *print(void *unused) {
    pthread_mutex_lock(&lock);
    printf("%d\n", shared);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, print, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;

fn without_locks() -> String {
    PRINTER.replace("pthread_mutex_lock(&lock);", "").replace("pthread_mutex_unlock(&lock);", "")
}

#[test]
fn what_no_race_touches_is_safe() {
    let (code, report) = Place::new(PRINTER).races("");
    assert_eq!((code, report["verdict"].as_str()), (Some(0), Some("safe")));
    assert_eq!(report["races"].as_array().map(Vec::len), Some(0));
}

#[test]
fn both_schedules_of_an_output_that_differs_replay() {
    let place = Place::new(&without_locks());
    let (code, report) = place.races("");
    assert_eq!((code, report["verdict"].as_str()), (Some(1), Some("violation")));
    let race = &report["races"][0];
    assert_eq!((race["class"].as_str(), race["object"].as_str()), (Some("output-differs"), Some("shared")));
    assert_eq!((race["size"].as_u64(), race["replayed"].as_bool()), (Some(4), Some(true)));
    assert!(race["k"].as_u64() >= Some(2));
    let kinds: Vec<&str> = (0..2).filter_map(|side| race["accesses"][side]["kind"].as_str()).collect();
    assert!(kinds.contains(&"read") && kinds.contains(&"write"), "{kinds:?}");
    let mut outputs: Vec<String> = ["schedule", "other_schedule"]
        .map(|name| {
            let schedule = race[name].as_str().unwrap();
            assert_eq!(place.symx(&format!("replay prog.c {schedule}")).status.code(), Some(0));
            let output = place.symx(&format!("exec prog.c --schedule {schedule}")).stdout;
            String::from_utf8(output).unwrap()
        })
        .into();
    outputs.sort();
    assert_eq!(outputs, ["0\n", "1\n"]);
}

#[test]
fn the_end_of_a_variable_is_called_so() {
    let place = Place::new(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\natomic_int done;\n\
         static void *set(void *place) {\n    *(int *)place = 1;\n\
         \x20   atomic_store_explicit(&done, 1, memory_order_relaxed);\n    return NULL;\n}\n\
         int main(void) {\n    int local;\n    pthread_t thread;\n    pthread_create(&thread, NULL, set, &local);\n\
         \x20   if (!atomic_load_explicit(&done, memory_order_relaxed))\n        exit(0);\n    return 0;\n}\n",
    );
    let (_, report) = place.races("");
    let races = report["races"].as_array().unwrap();
    assert_eq!(races.len(), 1, "{report}");
    let kinds = [0, 1].map(|side| races[0]["accesses"][side]["kind"].as_str().unwrap());
    assert_eq!(kinds, ["write", "end of life"], "{report}");
    let text = String::from_utf8(place.symx("races prog.c").stdout).unwrap();
    assert!(text.contains("access in no order with the end of life of `local`"), "{text}");
}

#[test]
fn a_violated_invariant_replays_and_is_a_violation() {
    let place =
        Place::new(&without_locks().replace("printf(\"%d\\n\", shared);", "symx_invariant(shared == 0);"));
    let (code, report) = place.races("");
    assert_eq!(code, Some(1));
    let (race, violation) = (&report["races"][0], &report["violations"][0]);
    assert_eq!(race["class"].as_str(), Some("spec-violated"));
    assert_eq!(violation["message"].as_str(), Some("invariant violated: shared == 0"));
    let schedule = violation["schedule"].as_str().unwrap();
    assert_eq!(race["schedule"].as_str(), Some(schedule));
    let replay = place.symx(&format!("replay prog.c {schedule}"));
    assert_eq!(replay.status.code(), Some(0), "{}", String::from_utf8_lossy(&replay.stdout));
}

#[test]
fn suppressed_races_are_not_reported() {
    let place = Place::new(&without_locks());
    place.write("known.txt", "# it is only a line\nrace:^print$\n");
    let (code, report) = place.races("--suppressions known.txt");
    assert_eq!((code, report["races"].as_array().map(Vec::len)), (Some(0), Some(0)));
    let used = |report: &Value| report["suppressions"][0]["races"].as_u64();
    assert_eq!((&report["suppressions"][0]["suppression"], used(&report)), (&"race:^print$".into(), Some(1)));
    place.write("idle.txt", "race:^shared$\nrace:nowhere\n");
    let told = String::from_utf8(place.symx("races prog.c --suppressions idle.txt").stdout).unwrap();
    assert!(told.contains("suppressed by `race:^shared$` (line 1): 1 race\n"), "{told}");
    assert!(told.contains("note: `race:nowhere` (line 2 of the suppressions) matches no race"), "{told}");
    place.write("wrong.txt", "rice:print\n");
    assert_eq!(place.symx("races prog.c --suppressions wrong.txt").status.code(), Some(2));
}

#[test]
fn a_lock_that_does_nothing_is_asked_for_and_remembered() {
    let place = Place::new(PRINTER);
    let (code, report) = place.races("--what-if prog.c:7");
    assert_eq!(code, Some(1), "{report}");
    let race = &report["races"][0];
    assert_eq!(race["class"].as_str(), Some("output-differs"));
    let schedule = race["schedule"].as_str().unwrap();
    assert_eq!(place.symx(&format!("replay prog.c {schedule}")).status.code(), Some(0));
    assert_eq!(place.symx("races prog.c --what-if prog.c:8").status.code(), Some(2));
}

#[test]
fn k_is_paths_times_schedules() {
    let place = Place::new(&without_locks().replace("printf(\"%d\\n\", shared);", "shared = 1;"));
    for (options, least) in [("", 10), ("--mp 3 --ma 4", 12), ("--mp 1 --ma 1", 1)] {
        let (code, report) = place.races(options);
        assert_eq!(code, Some(0), "{report}");
        let race = &report["races"][0];
        assert_eq!(race["class"].as_str(), Some("k-witness-harmless"));
        assert!(race["k"].as_u64() >= Some(least), "{options}: {race}");
    }
}

#[test]
fn consequences_of_races_are_distinguished() {
    let programs = [
        (include_str!("../../../bitcode-corpus/races/classes/never_ends.c"), "fails: livelock"),
        (include_str!("../../../bitcode-corpus/races/classes/missed_signal.c"), "fails: deadlock"),
        (include_str!("../../../bitcode-corpus/races/classes/freed_twice.c"), "fails: double free"),
        (include_str!("../../../bitcode-corpus/races/classes/input_decides.c"), "writes \"0\\n\""),
    ];
    for (text, consequence) in programs {
        let (_, report) = Place::new(text).races("");
        let told = report["races"][0]["consequence"].as_str().unwrap();
        assert!(told.contains(consequence), "{told}");
    }
}

#[test]
fn an_ordering_or_a_fence_that_does_nothing_is_asked_for() {
    let handed = PRINTER
        .replace("int shared", "#include <stdatomic.h>\natomic_int flag; int shared")
        .replace("    pthread_mutex_lock(&lock);\n    shared", "    shared")
        .replace("shared = 1;\n    pthread_mutex_unlock(&lock);", "shared = 1;\n    atomic_store(&flag, 1);")
        .replace(
            "    pthread_mutex_lock(&lock);\n",
            "    int is_set = atomic_load_explicit(&flag, memory_order_relaxed);\n",
        )
        .replace("    printf(", "    atomic_thread_fence(memory_order_acquire);\n    if (is_set) printf(")
        .replace("    pthread_mutex_unlock(&lock);\n", "");
    let place = Place::new(&handed);
    let line = |text: &str| 1 + handed.lines().position(|line| line.contains(text)).unwrap();
    assert_eq!(place.races("").0, Some(0), "{handed}");
    for text in ["atomic_store", "atomic_thread_fence"] {
        let (_, report) = place.races(&format!("--what-if prog.c:{}", line(text)));
        assert_eq!(report["races"][0]["object"].as_str(), Some("shared"), "{text}: {report}");
    }
    let relaxed = format!("races prog.c --what-if prog.c:{}", line("memory_order_relaxed"));
    assert_eq!(place.symx(&relaxed).status.code(), Some(2));
}

/// Too large to explore; two threads write `late` in no order, but only where the second is earlier, which
/// has MOST to do.
const LARGE: &str = r#"#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct { int table[64], late; } both;
int is_done;
static void count(int most) {
    for (int i = 0; i < most; i++) {
        pthread_mutex_lock(&lock);
        both.table[i % 64]++;
        pthread_mutex_unlock(&lock);
    }
}
static void *first(void *unused) {
    count(300);
    both.late = 1;
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *second(void *unused) {
    count(MOST);
    pthread_mutex_lock(&lock);
    int is_later = is_done;
    pthread_mutex_unlock(&lock);
    if (!is_later)
        both.late = 2;
    return unused;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;

/// Once `both` is visible, threads run in another order under the same seed. The seeds are such that the race
/// is met as soon as it is looked for, only in further executions, and in none. There the quiet execution is
/// made again step by step.
#[test]
fn races_in_a_large_program_are_reported() {
    for (most, seed, model) in [("300", 1, "sc"), ("312", 28, "sc"), ("322", 47, "sc"), ("322", 47, "tso")] {
        let options = format!("--seed {seed} --memmodel {model}");
        let (_, report) = Place::new(&LARGE.replace("MOST", most)).races(&options);
        let races = report["races"].as_array().unwrap();
        assert!(
            !races.is_empty() && races.iter().all(|race| race["object"] == "both.late"),
            "{most}: {report}"
        );
        let cuts = report["incomplete"].as_array().unwrap();
        let reasons: Vec<_> = cuts.iter().map(|cut| cut["reason"].as_str()).collect();
        assert_eq!(reasons, [Some("sampled")], "{most} under {model}");
    }
}

/// Functions on strings take other instructions where all accesses are noted, so that an execution made again
/// step by step may be lost. With these seeds it is; the race is met by executions directed at it.
#[test]
fn races_in_a_large_program_with_strings_are_reported() {
    let counting = LARGE.replace("MOST", "322");
    let with_strings = counting
        .replace("#include <pthread.h>", "#include <pthread.h>\n#include <string.h>")
        .replace(
            "    for (int i = 0; i < most; i++) {",
            "    char name[32] = {0};\n    volatile unsigned long length;\n    memset(name, 'a' + most % 26, 20);\n\
             \x20   for (int i = 0; i < most; i++) {\n        length = strlen(name);",
        );
    for seed in [47, 48, 66] {
        let (_, report) = Place::new(&with_strings).races(&format!("--seed {seed}"));
        let races = report["races"].as_array().unwrap();
        assert!(
            !races.is_empty() && races.iter().all(|race| race["object"] == "both.late"),
            "{seed}: {report}"
        );
        let cuts = report["incomplete"].as_array().unwrap();
        assert!(cuts.iter().all(|cut| cut["reason"] == "sampled"), "{seed}: {report}");
    }
}

/// Too large to explore. A write of `early` races with a read of `late`. It does so only where the one takes
/// its lock after the other has taken it 600 times.
const DELAYED: &str = r#"#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int many, both;
static void *early(void *unused) {
    both = 1;
    pthread_mutex_lock(&lock);
    many++;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *late(void *unused) {
    for (int i = 0; i < 600; i++) {
        pthread_mutex_lock(&lock);
        many++;
        pthread_mutex_unlock(&lock);
    }
    return (void *)(long)both;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, early, NULL);
    pthread_create(&threads[1], NULL, late, NULL);
    both = 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;

/// That `both` races is seen at once; that these two accesses to it do, only where the first
/// waits for the second.
#[test]
fn accesses_that_race_in_few_schedules_of_a_large_program_are_brought_together() {
    let line = |text: &str| DELAYED.lines().position(|line| line.contains(text)).unwrap() + 1;
    let expected = [line("both = 1;"), line("(long)both")];
    for seed in 0..5 {
        let (_, report) = Place::new(DELAYED).races(&format!("--seed {seed}"));
        let cuts = report["incomplete"].as_array().unwrap();
        assert!(cuts.iter().any(|cut| cut["reason"] == "sampled"), "it was explored: {report}");
        let is_it = |race: &Value| {
            let lines = [0, 1].map(|side| race["accesses"][side]["location"]["line"].as_u64());
            let mut lines = lines.map(|line| line.unwrap_or_default() as usize);
            lines.sort_unstable();
            lines == expected
        };
        assert!(report["races"].as_array().unwrap().iter().any(is_it), "seed {seed}: {report}");
    }
}

/// A race that only some schedules have, and a thread that never ends nor takes a step that others could see.
const ENDLESS: &str = r#"#include <pthread.h>
int shared;
static void *compute(void *unused) {
    shared = 1;
    for (volatile long i = 0;; i++)
        ;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    shared = 2;
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn time_ends_also_while_a_thread_only_computes() {
    let began = std::time::Instant::now();
    let (code, report) = Place::new(ENDLESS).races("--max-time 2");
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    assert_eq!(code, Some(3), "{report}");
    let cuts = report["incomplete"].as_array().unwrap();
    assert!(cuts.iter().any(|cut| cut["reason"] == "max-time"), "{report}");
    // A race that was found nevertheless is named with both its places.
    let told = cuts.iter().filter_map(|cut| cut["what"].as_str()).filter(|what| what.contains("data race"));
    told.for_each(|what| assert!(what.starts_with("data race on `shared` with prog.c:"), "{what}"));
}

#[test]
fn the_bound_of_instructions_is_named_with_its_option() {
    let (code, report) = Place::new(ENDLESS).races("--max-instructions 1000");
    assert_eq!(code, Some(3), "{report}");
    let cuts = report["incomplete"].as_array().unwrap();
    let bound = cuts.iter().find(|cut| cut["reason"] == "max-instructions");
    let what = bound.and_then(|cut| cut["what"].as_str()).unwrap_or_default();
    assert!(what.contains(" 1000 instructions") && what.contains("--max-instructions"), "{report}");
}

/// Each race that is named as one without a class.
fn unclassified(report: &Value) -> Vec<&str> {
    let cuts = report["incomplete"].as_array().unwrap();
    let told = cuts.iter().filter_map(|cut| cut["what"].as_str());
    told.filter(|what| what.starts_with("data race")).collect()
}

/// There are more executions to look for races in than time.
#[test]
fn where_looking_would_take_all_the_time_races_have_classes() {
    let (code, report) = Place::new(DELAYED).races("--samples 1000000 --max-time 12");
    let races = report["races"].as_array().unwrap();
    assert!(!races.is_empty() && races.iter().all(|race| race["object"] == "both"), "{report}");
    assert_eq!(unclassified(&report), [""; 0], "{report}");
    assert_eq!(code, Some(3), "{report}");
    let cuts = report["incomplete"].as_array().unwrap();
    let is_told = |cut: &Value| {
        cut["reason"] == "max-time"
            && cut["what"].as_str().is_some_and(|what| what.starts_with("the search for races ended early"))
    };
    assert!(cuts.iter().any(is_told), "{report}");
}

/// Ctrl-C, when as much processor time has passed as finding and judging the first races
/// takes several times over.
#[test]
fn what_was_found_before_an_interruption_has_a_class() {
    let place = Place::new(DELAYED);
    let child = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args("races prog.c --quiet --json - --samples 1000000".split(' '))
        .current_dir(place.0.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let process = child.id().to_string();
    // `utime` of proc(5), in hundredths of a second.
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
        let fields = stat.rsplit(')').next().unwrap().split_whitespace().nth(11).map(str::to_owned);
        fields.unwrap().parse::<u64>().unwrap()
    };
    while ticks() < 1_000 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let races = report["races"].as_array().unwrap();
    assert!(races.iter().any(|race| race["object"] == "both" && race["class"].is_string()), "{report}");
    let cuts = report["incomplete"].as_array().unwrap();
    assert!(cuts.iter().any(|cut| cut["reason"] == "interrupted"), "{report}");
}
