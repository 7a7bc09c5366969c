//! Explorations by the command that are killed at random moments and resumed have the same findings as an
//! uninterrupted one.

use crate::c_text::c_text;
use crate::of_everything::long;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::number;

/// How many explorations are killed by default.
const EXPLORATIONS: u64 = 2;

/// After how many of them the count is printed: three hundred take half an hour.
const REPORTED: u64 = 10;

/// Seconds after which a program is left out.
const MOST_TIME: &str = "3";

/// A program is taken if exploring it takes so long: as long as symx needs to begin, and as long again.
const LEAST_TIME: Duration = Duration::from_millis(400);

/// How often one exploration is killed at most.
const KILLS: u32 = 6;

#[test]
fn killed_explorations_go_on() {
    let wanted = number("SYMX_GENERATED_KILLS").unwrap_or(EXPLORATIONS);
    let first = number("SYMX_GENERATED_SEED").unwrap_or(0);
    let (mut done, mut killed, mut terminated, mut saved) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first.. {
        if done == wanted || seed > first + 100 * wanted {
            break;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let Some(exploration) = Exploration::new(folder.path(), seed) else { continue };
        let kills = exploration.with_kills(seed);
        done += 1;
        killed += kills.killed;
        terminated += kills.terminated;
        saved += kills.resumed;
        if kills.found != exploration.whole {
            println!(
                "seed {seed} {:?}: {}",
                exploration.options,
                difference(&exploration.whole, &kills.found)
            );
            wrong.push(seed);
        }
        if done.is_multiple_of(REPORTED) {
            println!("{done} of {wanted} explorations, the last of seed {seed}, wrong: {}", wrong.len());
        }
    }
    println!(
        "{done} explorations, SIGKILL {killed} times, SIGTERM {terminated} times, {saved} times resumed, wrong: {}",
        wrong.len()
    );
    assert!(wrong.is_empty(), "wrong: {wrong:?}");
    assert_eq!(done, wanted, "too few programs take long enough");
}

/// An exploration that takes a while.
struct Exploration<'f> {
    folder: &'f Path,
    options: Vec<&'static str>,
    /// The findings of a run that is not killed, and how long it takes.
    whole: Value,
    time: Duration,
}

/// The findings if it is killed now and then.
struct Kills {
    found: Value,
    killed: u32,
    terminated: u32,
    resumed: u32,
}

impl<'f> Exploration<'f> {
    /// Of the program of a seed; nothing if that takes no time, or too much.
    fn new(folder: &'f Path, seed: u64) -> Option<Self> {
        let source = folder.join("program.c");
        std::fs::write(&source, c_text(&[long(seed)])).expect("a file");
        let flags = ["-O0", "-Xclang", "-disable-O0-optnone", "-w"].map(str::to_owned);
        let bitcode = compile_bitcode(&source, &flags, folder).unwrap_or_else(|error| panic!("{error}"));
        std::fs::copy(bitcode, folder.join("program.bc")).expect("a file");
        let mut options = vec!["--memmodel", ["sc", "tso", "pso"][(seed % 3) as usize]];
        options.extend(["--jobs", ["1", "2"][(seed / 3 % 2) as usize]]);
        if seed.is_multiple_of(4) {
            options.extend(["--reduction", "source-sets"]);
        }
        if seed % 5 == 1 {
            options.extend(["--search", ["bfs", "random-path", "coverage"][(seed / 5 % 3) as usize]]);
        }
        let mut exploration = Self { folder, options, whole: Value::Null, time: Duration::ZERO };
        let begun = Instant::now();
        let (verdict, whole) = exploration.result(exploration.start(&["--max-time", MOST_TIME]))?;
        exploration.time = begun.elapsed();
        exploration.whole = whole;
        let is_whole = verdict != "incomplete" && exploration.whole[3].as_array().is_some_and(Vec::is_empty);
        (is_whole && exploration.time >= LEAST_TIME).then_some(exploration)
    }

    fn start(&self, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_symx-under-test"))
            .args(["run", "--quiet", "--no-explain", "--keep-going", "--json", "-", "--out", "out"])
            .args(&self.options)
            .args(more)
            .arg("program.bc")
            .current_dir(self.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("symx runs")
    }

    /// The verdict and the findings, without parts that differ from run to run; nothing if it did not end by
    /// itself.
    fn result(&self, child: Child) -> Option<(String, Value)> {
        let output = child.wait_with_output().expect("it ends");
        let report: Value = serde_json::from_slice(&output.stdout).ok()?;
        let list = |name: &str| report[name].as_array().cloned().unwrap_or_default();
        let mut violations: Vec<String> = list("violations")
            .iter()
            .map(|found| {
                json!([found["kind"], found["detail"], found["location"], found["replayed"]]).to_string()
            })
            .collect();
        violations.sort();
        let mut outcomes: Vec<String> = list("outcomes")
            .iter()
            .map(|found| json!([found["stdout"], found["exit_status"]]).to_string())
            .collect();
        outcomes.sort();
        // Outputs that are no text are reported alike.
        outcomes.dedup();
        let cuts: Vec<Value> = list("incomplete").iter().map(|cut| cut["reason"].clone()).collect();
        let verdict = report["verdict"].as_str().unwrap_or_default().to_owned();
        let found = json!([verdict, outcomes, violations, cuts]);
        Some((verdict, found))
    }

    /// The same with kills.
    fn with_kills(&self, seed: u64) -> Kills {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut kills = Kills { found: Value::Null, killed: 0, terminated: 0, resumed: 0 };
        let _ = std::fs::remove_dir_all(self.folder.join("out"));
        loop {
            let is_left = self.folder.join("out/unfinished.json").exists();
            let resume: &[&str] = if is_left { &["--resume", "out"] } else { &[] };
            kills.resumed += u32::from(is_left);
            let mut child = self.start(resume);
            let goes_on = kills.killed + kills.terminated < KILLS;
            let mut was_stopped = false;
            if goes_on {
                std::thread::sleep(self.time.mul_f64(random.f64()));
                // Once it has ended its number may be another's.
                if child.try_wait().expect("a child").is_none() {
                    let signal = if random.u8(..3) == 0 { libc::SIGKILL } else { libc::SIGTERM };
                    let id = i32::try_from(child.id()).expect("a process");
                    // SAFETY: a signal to a child that was not waited for.
                    unsafe { libc::kill(id, signal) };
                    was_stopped = true;
                    kills.killed += u32::from(signal == libc::SIGKILL);
                    kills.terminated += u32::from(signal == libc::SIGTERM);
                }
            }
            let result = self.result(child);
            let is_unfinished = self.folder.join("out/unfinished.json").exists();
            match result {
                Some((_, found)) if !(was_stopped && is_unfinished || is_interrupted(&found)) => {
                    kills.found = found;
                    return kills;
                }
                _ if was_stopped => {}
                other => {
                    kills.found = json!(["ended without being stopped", other.map(|(_, found)| found)]);
                    return kills;
                }
            }
        }
    }
}

/// Which of the verdict, the outcomes, the failures and the cuts differ, and what is only in one of them.
fn difference(whole: &Value, found: &Value) -> String {
    let only = |one: &Value, other: &Value| -> Vec<Value> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        let others = list(other);
        list(one).into_iter().filter(|item| !others.contains(item)).take(3).collect()
    };
    let parts = (0..4).map(|at| (only(&whole[at], &found[at]), only(&found[at], &whole[at])));
    format!("lost and added: {:?}", parts.collect::<Vec<_>>())
}

/// Whether what was found says that it was stopped before it had anything to leave.
fn is_interrupted(found: &Value) -> bool {
    found[3].as_array().is_some_and(|cuts| cuts.iter().any(|cut| cut == "interrupted"))
}
