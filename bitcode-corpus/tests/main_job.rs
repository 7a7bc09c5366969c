//! The main job on real programs: record a native run that fails, reproduce it from its profile, replay it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};
use symx::harness::{Expectations, Severity, compile_bitcode};
use symx_bitcode_corpus::{cache, folder, output_of, said};

/// How long native runs are tried until one fails.
const PATIENCE: Duration = Duration::from_secs(60);

fn symx<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    output_of(env!("CARGO_BIN_EXE_symx-under-test"), arguments)
}

/// A program, its bitcode, and where its files go.
struct Job {
    source: PathBuf,
    bitcode: String,
    arguments: Vec<String>,
    out: tempfile::TempDir,
}

impl Job {
    fn new(program: &str, flags: &[&str], arguments: &[&str]) -> Self {
        let out = tempfile::tempdir().unwrap();
        let source = folder().join("programs").join(program).with_extension("c");
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let bitcode = compile_bitcode(&source, &flags, &cache()).unwrap().display().to_string();
        let in_folder = |argument: &str| match argument {
            "OUT" => out.path().join("written").display().to_string(),
            input if input.starts_with("input/") => {
                folder().join("programs").join(input).display().to_string()
            }
            other => other.to_owned(),
        };
        let arguments = arguments.iter().map(|argument| in_folder(argument)).collect();
        Self { source, bitcode, arguments, out }
    }

    fn path(&self, name: &str) -> String {
        self.out.path().join(name).display().to_string()
    }

    /// Runs the instrumented program until a run ends by a signal.
    fn record_failure(&self) -> String {
        let (binary, profile) = (self.path("program"), self.path("path.prof"));
        let built = symx(["instrument", &self.bitcode, "-o", &binary]);
        assert!(built.status.success(), "{}", said(&built));
        let started = Instant::now();
        let mut runs = 0;
        while started.elapsed() < PATIENCE {
            runs += 1;
            let options = ["record", "--timeout", "20", "-o", &profile, "--", &binary];
            let run = symx(options.into_iter().chain(self.arguments.iter().map(String::as_str)));
            match run.status.code() {
                Some(134 | 135 | 139) => return profile,
                Some(0) => {}
                _ => panic!("{}", said(&run)),
            }
        }
        panic!("none of {runs} native runs failed");
    }

    /// The line of the source with this number, from 1.
    fn line(&self, number: u64) -> String {
        let text = std::fs::read_to_string(&self.source).unwrap();
        text.lines().nth(number as usize - 1).unwrap_or_default().to_owned()
    }

    /// The text that the message of the annotated failure contains.
    fn annotated_message(&self) -> String {
        let text = std::fs::read_to_string(&self.source).unwrap();
        let expectations = Expectations::parse(&text).unwrap();
        expectations.labels_under("sc", Severity::Error).next().expect("one annotation").text.clone()
    }
}

/// `culprit` is in every line where the bug can show: the annotated one, and others the same run may meet
/// first. The bug shows as the annotated failure, or as one of `others`.
fn record_reproduce_replay(program: &str, arguments: &[&str], culprit: &str, others: &[&str]) {
    let job = Job::new(program, &[], arguments);
    let profile = job.record_failure();
    let (json, out) = (job.path("run.json"), job.path("out"));
    let options =
        ["run", &job.bitcode, "--guide", &profile, "--out", &out, "--json", &json, "--max-time", "120"];
    let separator = ["--"].into_iter();
    let run = symx(options.into_iter().chain(separator).chain(job.arguments.iter().map(String::as_str)));
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let violation = &report["violations"][0];
    let line = violation["location"]["line"].as_u64().unwrap();
    assert!(job.line(line).contains(culprit), "{}", said(&run));
    let found = violation["message"].as_str().unwrap();
    let is_expected = |message: &&str| found.contains(*message);
    let annotated = job.annotated_message();
    assert!(is_expected(&annotated.as_str()) || others.iter().any(is_expected), "{}", said(&run));
    assert_eq!(violation["replayed"], true);
    assert!(Path::new(&out).join("trace.json").exists());

    let replay = symx(["replay", &job.bitcode, violation["schedule"].as_str().unwrap()]);
    assert_eq!(replay.status.code(), Some(0), "{}", said(&replay));
    let text = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(text.contains(&format!(".c:{line}:")), "the replay fails elsewhere: {text}");
}

/// The repaired program never fails; exploring all of it may take longer than a test should.
fn repaired_is_never_wrong(program: &str, arguments: &[&str]) {
    let job = Job::new(program, &["-DFIXED"], arguments);
    let once = symx(["exec", &job.bitcode, "--"].into_iter().chain(job.arguments.iter().map(String::as_str)));
    assert!(once.status.success() && !once.stdout.is_empty(), "it does its work: {}", said(&once));
    for model in ["sc", "tso", "pso"] {
        let out = job.path("out");
        let options = ["run", &job.bitcode, "--memmodel", model, "--max-time", "2", "--out", &out, "--"];
        let run = symx(options.into_iter().chain(job.arguments.iter().map(String::as_str)));
        assert!(matches!(run.status.code(), Some(0 | 3)), "{model}: {}", said(&run));
        let random = ["--search", "random", "--max-executions", "20"];
        let options = options[..8].iter().chain(&random).chain(&["--"]).copied();
        let run = symx(options.chain(job.arguments.iter().map(String::as_str)));
        assert_eq!(run.status.code(), Some(3), "{model}: {}", said(&run));
    }
}

#[test]
fn bounded_buffer() {
    record_reproduce_replay("bounded_buffer", &["input/harbour.txt", "1", "2", "2"], "buffer->used > 0", &[]);
}

#[test]
fn file_scanner() {
    record_reproduce_replay("file_scanner", &["input/notes", "seed", "2", "2"], "queue->filled > 0", &[]);
}

#[test]
fn block_compressor() {
    // Along the recorded paths the queue's lock may still be there, but freed.
    let arguments = ["input/ledger.txt", "OUT", "2", "1024"];
    record_reproduce_replay("block_compressor", &arguments, "queue->mutex", &["use after free"]);
}

#[test]
fn bounded_buffer_repaired() {
    repaired_is_never_wrong("bounded_buffer", &["input/harbour.txt", "1", "2", "2"]);
}

#[test]
fn file_scanner_repaired() {
    repaired_is_never_wrong("file_scanner", &["input/notes", "seed", "2", "2"]);
}

#[test]
fn block_compressor_repaired() {
    repaired_is_never_wrong("block_compressor", &["input/ledger.txt", "OUT", "2", "1024"]);
}

/// The failure from the recorded paths alone: nothing is searched along them.
fn is_synthesised(program: &str) {
    let job = Job::new(program, &[], &[]);
    let profile = job.record_failure();
    let out = job.path("out");
    let options = ["--guide", &profile, "--engine", "synthesis", "--max-time", "60", "--out", &out];
    let found = symx(["run", "--no-explain", &job.bitcode].into_iter().chain(options));
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    let replayed = symx(["replay", &job.bitcode, &format!("{out}/schedule.json")]);
    assert_eq!(replayed.status.code(), Some(0), "{}", said(&replayed));
}

#[test]
fn lost_additions_are_synthesised() {
    is_synthesised("clap/sim_race");
}

#[test]
fn parts_merged_unsorted_are_synthesised() {
    is_synthesised("clap/swarm");
}

/// A run of a Rust program, through its standard library, is followed to its end.
fn is_followed(program: &str, printed: &str) {
    let source = folder().join(program).with_extension("rs");
    let bitcode = compile_bitcode(&source, &[], &cache()).unwrap().display().to_string();
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name).display().to_string();
    let built = symx(["instrument", &bitcode, "-o", &path("program")]);
    assert!(built.status.success(), "{}", said(&built));
    let recorded = symx(["record", "-o", &path("path.prof"), "--", &path("program")]);
    assert!(recorded.status.success(), "{}", said(&recorded));
    let options = ["--guide", &path("path.prof"), "--out", &path("out"), "--max-time", "60"];
    let followed = symx(["run", &bitcode].into_iter().chain(options));
    let text = said(&followed);
    assert!(!text.contains("no-execution") && text.contains(printed), "{text}");
}

#[test]
fn rust_threads_are_followed() {
    is_followed("pass/rust/locks/counter_under_lock", "\"2\\n\"");
}

#[test]
fn rust_text_is_followed() {
    is_followed("pass/rust/text_is_known", "\"text\\n\"");
}
