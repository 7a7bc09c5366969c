//! `symx sketch` on known bugs: which predictor comes first, and how near the sketch is to the ideal one. The
//! program's comments have that (Kasikci, section 6.2.3).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use symx_checkers::sketch::{ordering_accuracy, relevance_accuracy};
use symx_trace::sketch::{NoSketch, Predictor, PredictorType, RankedPredictor, Sketch};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../bitcode-corpus/sketches")
}

fn symx(line: &[&str], place: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(line).current_dir(place).stdin(Stdio::null()).output().unwrap()
}

fn sketch_of(path: &Path, options: &[&str]) -> Sketch {
    let path = path.to_str().unwrap();
    let line: Vec<&str> = ["sketch", path, "--quiet", "--json", "-"].iter().chain(options).copied().collect();
    let output = symx(&line, &folder());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{path}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{path}: {why}: {errors}"))
}

/// The kind, pattern and lines of a predictor, as the annotation `predictor` has them.
fn best_predictor(sketch: &Sketch) -> String {
    let Some(best) = sketch.predictors.first() else { return "none".into() };
    let lines: Vec<String> = best.locations.iter().map(|location| location.line.to_string()).collect();
    let lines = lines.join(" ");
    match &best.predictor {
        Predictor::Atomicity { pattern, .. } => format!("atomicity {} {lines}", <&str>::from(pattern)),
        Predictor::Interleaved { .. } => format!("interleaved {lines}"),
        Predictor::PairAtomicity { .. } => format!("pair {lines}"),
        Predictor::Order { pattern, .. } => format!("order {} {lines}", <&str>::from(pattern)),
        Predictor::Early { .. } => format!("early {lines}"),
        Predictor::Value { value, .. } => format!("value {value} {lines}"),
        Predictor::Branch { .. } => format!("branch {lines}"),
    }
}

/// The text of the program's comments after `//@ NAME:`.
fn annotated(path: &Path, name: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mark = format!("//@ {name}: ");
    text.lines().find_map(|line| line.strip_prefix(&mark)).unwrap_or_else(|| panic!("{path:?}")).to_owned()
}

/// A thread, a line, and for the how-manyth time.
type Statement = (String, u32, usize);

fn numbered(statements: impl Iterator<Item = (String, u32)>) -> Vec<Statement> {
    let mut times: BTreeMap<(String, u32), usize> = BTreeMap::new();
    let number = |(thread, line): (String, u32)| {
        let time = times.entry((thread.clone(), line)).or_default();
        *time += 1;
        (thread, line, *time)
    };
    statements.map(number).collect()
}

fn ideal(path: &Path) -> Vec<Statement> {
    let annotation = annotated(path, "sketch");
    numbered(annotation.split_whitespace().map(|word| {
        let (thread, line) = word.split_once(':').unwrap();
        (thread.to_owned(), line.parse().unwrap())
    }))
}

/// The orders of some things.
fn permutations(of: &[String]) -> Vec<Vec<String>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let with = |at: usize| {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |tail| [vec![first.clone()], tail].concat())
    };
    (0..of.len()).flat_map(with).collect()
}

/// Relevance and ordering, with the threads that the ideal sketch calls by letters matched in the best way.
fn accuracy(sketch: &Sketch, ideal: &[Statement]) -> (f64, f64) {
    let mut letters: Vec<String> = ideal.iter().map(|(thread, ..)| thread.clone()).collect();
    letters.sort_unstable();
    letters.dedup();
    while letters.len() < sketch.threads.len() {
        letters.push(format!("?{}", letters.len()));
    }
    let measure = |names: Vec<String>| {
        let line =
            |line: &symx_trace::sketch::SketchLine| (names[line.thread as usize].clone(), line.location.line);
        let computed = numbered(sketch.lines.iter().map(line));
        (relevance_accuracy(&computed, ideal), ordering_accuracy(&computed, ideal))
    };
    let all = permutations(&letters).into_iter().map(measure);
    all.max_by(|one, other| one.partial_cmp(other).unwrap()).unwrap()
}

fn programs() -> Vec<PathBuf> {
    let mut programs: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    programs.sort();
    programs
}

/// Programs by which the rules were checked: their ideal sketches were written before a sketch was computed.
const FURTHER: &[&str] = &[
    "average_of_none",
    "closed_connection",
    "hawknl",
    "lazy_instance",
    "mozilla_cache",
    "mozilla_macio",
    "mysql_791",
    "squid_title",
];

/// All programs, with the table of `docs/sketches.md`.
#[test]
fn sketches_are_near_the_ideal_ones() {
    let mut table = String::new();
    // Of the programs of the literature, and of the further ones.
    let mut accuracies: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    for path in &programs() {
        let sketch = sketch_of(path, &[]);
        let (relevant, ordered) = accuracy(&sketch, &ideal(path));
        let name = path.file_stem().unwrap().to_string_lossy();
        accuracies[usize::from(FURTHER.contains(&&*name))].push((relevant, ordered));
        let expected = annotated(path, "predictor");
        let got = best_predictor(&sketch);
        let mark = if got == expected { "" } else { " (!)" };
        table += &format!("| {name} | {got}{mark} | {relevant:.0} | {ordered:.0} | {:?}\n", sketch.runs);
    }
    let mean =
        |of: &[(f64, f64)], part: fn(&(f64, f64)) -> f64| of.iter().map(part).sum::<f64>() / of.len() as f64;
    let means = accuracies.each_ref().map(|of| (mean(of, |it| it.0), mean(of, |it| it.1)));
    println!("{table}relevance and ordering {means:.1?}");
    assert!(!table.contains("(!)"), "{table}");
    for (relevance, ordering) in means {
        assert!(relevance >= 95.0 && ordering >= 97.0, "{means:.1?}\n{table}");
    }
}

/// The places of the sketch of `name`, as lines.
fn lines_of(sketch: &Sketch) -> Vec<u32> {
    sketch.lines.iter().map(|line| line.location.line).collect()
}

/// The program's best predictor is the expected one, holds in all failing executions and in no other. The
/// lines of the ideal sketch are all in the sketch.
fn is_as_expected(name: &str) {
    let path = folder().join(name).with_extension("c");
    let sketch = sketch_of(&path, &[]);
    assert_eq!(best_predictor(&sketch), annotated(&path, "predictor"));
    let best = &sketch.predictors[0];
    assert_eq!((best.score.precision(), best.score.recall()), (1.0, 1.0), "{best:?}");
    assert!(sketch.runs.failing > 5 && sketch.runs.passing > 5, "{:?}", sketch.runs);
    let lines = lines_of(&sketch);
    for (_, line, _) in ideal(&path) {
        assert!(lines.contains(&line), "{name}:{line} is not among {lines:?}");
    }
    let marked = sketch.lines.iter().filter(|line| line.marks.contains(&0));
    let marked: Vec<u32> = marked.map(|line| line.location.line).collect();
    for place in &best.locations {
        assert!(marked.contains(&place.line), "{name}:{} is not marked in {marked:?}", place.line);
    }
    assert!(sketch.lines.iter().any(|line| line.fails), "a line fails");
}

#[test]
fn a_check_and_use_that_another_thread_comes_between() {
    is_as_expected("mysql_3596");
}

#[test]
fn a_lost_update() {
    is_as_expected("memcached_127");
}

#[test]
fn a_use_after_the_end_of_life() {
    is_as_expected("pbzip2");
}

#[test]
fn a_missed_signal() {
    is_as_expected("missed_signal");
}

#[test]
fn locks_in_opposite_orders() {
    is_as_expected("opposite_locks");
}

/// A folder with a program.
fn place_of(program: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(folder().join(program), place.path().join("prog.c")).unwrap();
    place
}

fn text_of(line: &[&str], place: &Path) -> (Option<i32>, String) {
    let output = symx(line, place);
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

#[test]
fn the_text_has_lanes_places_and_counts() {
    let place = place_of("memcached_127.c");
    let (code, text) = text_of(&["sketch", "prog.c"], place.path());
    assert_eq!(code, Some(1), "{text}");
    for expected in [
        "failure sketch: assertion failed",
        "[A] atomicity violation RWW of item: prog.c:13, then prog.c:16 in another thread, then prog.c:16",
        "F = 1.00, precision 1.00, recall 1.00: holds in ",
        "T1 ",
        "prog.c:28  assert(item == 2);",
        "reads item = 1",
        "<- fails",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let again = text_of(&["sketch", "prog.c", "--html", "page.html"], place.path()).1;
    assert_eq!(again, text, "the same seed gives the same sketch");
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("atomicity violation RWW of item") && page.contains("reads item = 1"), "{page}");
    assert!(page.contains("assert(item == 2);") && page.contains("class=\"fails\""), "{page}");
}

#[test]
fn a_schedule_is_sketched_with_executions_sampled_for_it() {
    let place = place_of("mysql_3596.c");
    let (code, text) = text_of(&["run", "prog.c", "--quiet"], place.path());
    assert_eq!(code, Some(1), "{text}");
    let line = ["sketch", "prog.c", "symx-out/failure-1.schedule.json", "--runs", "50"];
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains(" executions: ") && text.contains(" passing\n"), "{text}");
    assert!(text.contains("[A] atomicity violation RWR of proc_info"), "{text}");
}

#[test]
fn profiles_are_followed_to_executions_that_end_as_recorded() {
    let place = place_of("mysql_3596.c");
    let mut files: Vec<String> = Vec::new();
    let (mut failing, mut passing) = (0, 0);
    for seed in 0..40 {
        let (seed, file) = (seed.to_string(), format!("{seed}.prof"));
        let output = symx(&["record", "prog.c", "-o", &file, "--seed", &seed], place.path());
        let count = if output.status.success() { &mut passing } else { &mut failing };
        *count += 1;
        if *count <= 2 {
            files.push(file);
        }
    }
    assert!(failing >= 2 && passing >= 2, "{failing} failing, {passing} passing");
    let line: Vec<&str> = ["sketch", "prog.c"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("4 executions: 2 with this failure, 2 passing"), "{text}");
    assert!(text.contains("[A] atomicity violation RWR of proc_info"), "{text}");
}

/// A profile has no values: `hi` is 1 in some passing runs and 2 in others, which have the same paths.
const SAME_PATHS: &str = "\
#include <assert.h>
#include <pthread.h>
static int lo, hi = 1;
static void *grow(void *unused) {
    lo++;
    hi++;
    return unused;
}
static void *check(void *unused) {
    int a = hi;
    int b = lo;
    assert(b < a);
    return unused;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, grow, NULL);
    pthread_create(&other, NULL, check, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
";

/// Records the program until there are some profiles of each kind, at most that many of each.
fn recorded(place: &Path, most: usize) -> (Vec<String>, Vec<String>) {
    let (mut failing, mut passing) = (Vec::new(), Vec::new());
    for seed in 0..60 {
        let (seed, file) = (seed.to_string(), format!("{seed}.prof"));
        let output = symx(&["record", "prog.c", "-o", &file, "--seed", &seed], place);
        let files = if output.status.success() { &mut passing } else { &mut failing };
        if files.len() < most {
            files.push(file);
        }
    }
    assert!(failing.len() >= 2 && passing.len() >= 2, "{failing:?} fail, {passing:?} pass");
    (failing, passing)
}

#[test]
fn values_and_orders_of_profiles_with_equal_paths_are_estimates() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("prog.c"), SAME_PATHS).unwrap();
    let (failing, passing) = recorded(place.path(), 6);
    let files = [failing.clone(), passing.clone()].concat();
    let line: Vec<&str> = ["sketch", "prog.c", "--json", "sketch.json"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("values and orders are estimates from "), "{text}");
    let sketch = std::fs::read(place.path().join("sketch.json")).unwrap();
    let sketch: Sketch = serde_json::from_slice(&sketch).unwrap();
    let followed = sketch.followed.unwrap();
    assert_eq!(followed.profiles as usize, files.len(), "{text}");
    assert!(followed.paths < followed.profiles && followed.executions > followed.paths, "{text}");
    assert_eq!(sketch.runs.failing as usize, failing.len(), "{text}");
    assert_eq!(sketch.runs.passing as usize, passing.len(), "{text}");
    let is_value = |ranked: &&RankedPredictor| {
        matches!(ranked.predictor, Predictor::Value { .. }) && ranked.object == "hi"
    };
    for value in sketch.predictors.iter().filter(is_value) {
        assert!(value.score.passing > 0.0, "passing runs read 1, too: {value:?}");
    }
}

#[test]
fn what_is_no_run_or_of_another_model_is_refused() {
    let place = place_of("mysql_3596.c");
    std::fs::write(place.path().join("nothing"), "neither\n").unwrap();
    let (code, text) = text_of(&["sketch", "prog.c", "nothing"], place.path());
    assert_eq!(code, Some(2), "{text}");
    text_of(&["run", "prog.c", "--quiet", "--memmodel", "tso"], place.path());
    let (code, text) = text_of(&["sketch", "prog.c", "symx-out/failure-1.schedule.json"], place.path());
    assert!(code == Some(2) && text.contains("sequential consistency"), "{text}");
}

#[test]
fn a_file_without_an_execution_is_left_out_by_name_if_others_have_some() {
    let place = place_of("mysql_3596.c");
    let (code, text) = text_of(&["run", "prog.c", "--quiet"], place.path());
    assert_eq!(code, Some(1), "{text}");
    std::fs::write(place.path().join("empty"), "").unwrap();
    std::fs::write(place.path().join("foreign"), "neither\n").unwrap();
    let schedule = "symx-out/failure-1.schedule.json";
    let line = ["sketch", "prog.c", "empty", schedule, "foreign", "missing", "--runs", "50"];
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(1), "{text}");
    for file in ["empty", "foreign", "missing"] {
        let note = text.lines().find(|line| line.starts_with("note: left out: ") && line.contains(file));
        assert!(note.is_some(), "{file}: {text}");
    }
    let (code, text) = text_of(&["sketch", "prog.c", "empty", "foreign"], place.path());
    assert_eq!(code, Some(2), "all of them: {text}");
}

/// Two schedules fail at one line, the first at another.
#[test]
fn the_failure_of_several_files_is_the_most_frequent_one() {
    let place = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>
#include <symx.h>
int main(void) {
    unsigned char kind;
    symx_make_symbolic(&kind, 1, \"kind\");
    assert(kind != 1);
    assert(kind != 2);
    return 0;
}
";
    std::fs::write(place.path().join("prog.c"), text).unwrap();
    let (code, text) = text_of(&["run", "prog.c", "--quiet", "--keep-going"], place.path());
    assert_eq!(code, Some(1), "{text}");
    let file = |number: u32| format!("symx-out/failure-{number}.schedule.json");
    let line_of = |file: &str| {
        let text = std::fs::read(place.path().join(file)).unwrap();
        let schedule: serde_json::Value = serde_json::from_slice(&text).unwrap();
        schedule["failure"]["location"]["line"].as_u64().unwrap()
    };
    let (one, other) = (file(1), file(2));
    std::fs::copy(place.path().join(&other), place.path().join("again.json")).unwrap();
    let line = ["sketch", "prog.c", &one, &other, "again.json", "--runs", "20", "--quiet", "--json", "-"];
    let output = symx(&line, place.path());
    let sketch: Sketch = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(u64::from(sketch.failure.location.line), line_of(&other));
}

#[test]
fn what_is_known_without_a_failure_is_written_over_an_older_sketch() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("prog.c"), "int main(void) { return 0; }\n").unwrap();
    std::fs::write(file("sketch.json"), "stale").unwrap();
    std::fs::write(file("sketch.html"), "stale").unwrap();
    let line = ["sketch", "prog.c", "--runs", "3", "--json", "sketch.json", "--html", "sketch.html"];
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(3), "{text}");
    let json = std::fs::read(file("sketch.json")).unwrap();
    let without: NoSketch = serde_json::from_slice(&json).unwrap();
    assert_eq!((without.failure, without.runs.passing, without.runs.failing), (None, 3, 0));
    let page = std::fs::read_to_string(file("sketch.html")).unwrap();
    assert!(page.contains("none of 3 executions fails"), "{page}");
}

/// A sketch of a program whose library is compiled into it has places of the program alone.
fn has_places_of(name: &str, text: &str, expected: &[u32]) {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join(name), text).unwrap();
    let output = symx(&["sketch", name, "--quiet", "--json", "-"], place.path());
    let errors = String::from_utf8_lossy(&output.stderr);
    let sketch: Sketch =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {errors}"));
    let orders = sketch.predictors.iter().filter(|ranked| ranked.predictor.of_type() == PredictorType::Order);
    let orders: Vec<&RankedPredictor> = orders.collect();
    assert!(!orders.is_empty(), "{:?}", sketch.predictors);
    for location in sketch.predictors.iter().flat_map(|ranked| &ranked.locations) {
        assert!(location.line > 0 && location.file.ends_with(name), "{:?}", sketch.predictors);
    }
    for location in orders.iter().flat_map(|ranked| &ranked.locations) {
        assert!(expected.contains(&location.line), "{:?}", orders);
    }
    let lines = lines_of(&sketch);
    assert!(expected.iter().all(|line| lines.contains(line)), "{lines:?}");
    assert!(sketch.lines.iter().any(|line| line.fails), "{lines:?}");
}

#[test]
fn accesses_of_templates_count_as_the_line_that_calls_them() {
    let text = "#include <cassert>
#include <thread>
#include <vector>
static std::vector<int> values;
static void add() {
    values.push_back(7);
}
int main() {
    values.reserve(4);
    std::thread other(add);
    add();
    other.join();
    assert(values.size() == 2);
}
";
    has_places_of("prog.cc", text, &[6]);
}

#[test]
fn accesses_of_generic_functions_count_as_the_line_that_calls_them() {
    let text = "use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::thread;
static COUNT: AtomicI32 = AtomicI32::new(0);
fn increment() {
    let value = COUNT.load(SeqCst);
    COUNT.store(value + 1, SeqCst);
}
fn main() {
    let other = thread::spawn(increment);
    increment();
    other.join().unwrap();
    assert_eq!(COUNT.load(SeqCst), 2);
}
";
    has_places_of("prog.rs", text, &[5, 6]);
}

/// That the branch of an assertion goes to the failure says nothing.
#[test]
fn the_branch_of_the_assertion_is_no_predictor() {
    for name in ["memcached_127", "lazy_instance"] {
        let sketch = sketch_of(&folder().join(name).with_extension("c"), &[]);
        let fails = sketch.failure.location.line;
        let branches =
            sketch.predictors.iter().filter(|ranked| ranked.predictor.of_type() == PredictorType::Branch);
        for branch in branches {
            assert_ne!(branch.locations[0].line, fails, "{name}: {branch:?}");
        }
    }
}

#[test]
fn no_failure_is_no_sketch_and_all_failures_are_no_predictor() {
    let place = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(place.path().join("prog.c"), text).unwrap();
    write("int main(void) { return 0; }\n");
    let (code, text) = text_of(&["sketch", "prog.c", "--runs", "3"], place.path());
    assert!(code == Some(3) && text.contains("none of 3 executions fails"), "{text}");
    write("#include <assert.h>\nvolatile int x;\nint main(void) {\n    assert(x);\n    return 0;\n}\n");
    let (code, text) = text_of(&["sketch", "prog.c", "--runs", "3"], place.path());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no predictor tells failing executions from passing ones"), "{text}");
    assert!(text.contains("3 executions: 3 with this failure, 0 passing"), "{text}");
    assert!(text.contains("note: no execution passes"), "{text}");
}

#[test]
fn the_end_of_the_time_is_named() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("prog.c"), "int main(void) { return 0; }\n").unwrap();
    let line = ["sketch", "prog.c", "--runs", "100000000", "--max-time", "1"];
    let (code, text) = text_of(&line, place.path());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("of at most 100000000 executions were sampled"), "{text}");
}

/// The lock fails before it comes to a step of its own; it was passed the freed memory nevertheless.
#[test]
fn a_lock_in_freed_memory_follows_the_free_in_every_failing_execution() {
    let sketch = sketch_of(&folder().join("../explained/freed_lock.c"), &[]);
    assert_eq!(best_predictor(&sketch), "order WR 18 7");
    let score = sketch.predictors[0].score;
    assert_eq!((score.precision(), score.recall()), (1.0, 1.0), "{score:?}");
}
