//! Profiles, schedules, traces and explanations that were changed, given to the commands that take them. Each
//! gives a result or is refused by name, with an exit code of the contract. Most are changed where their
//! syntax stays right: their statements are then believed further than unreadable ones.
//!
//! `DAMAGED_COMMANDS` sets how many commands are run (`./x damage`), `DAMAGED_SEED` which.

use fastrand::Rng;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use symx_trace::profile::Profile;

/// No command may take longer; explorations are given less by an option.
const LONGEST: Duration = Duration::from_secs(120);
/// Memory that a command may ask for, in KiB: what a few digits can ask for is far more.
const MOST_MEMORY: u64 = 12_000_000;

/// A heap object, a lock, a condition and a bug that nearly every run has: the flag is looked at too early.
const PROGRAM: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *box, count, ready;
static void *fill(void *unused) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 3; i++) box[i % 2] += i;
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    int seen = count;
    usleep(2000);
    count = seen + 1;
    return unused;
}
int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_t threads[2];
    box = calloc(2, sizeof *box);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(count == 2);
    return now.tv_sec == 0;
}
"#;

/// Numbers that bounds are at.
const STRANGE: [u64; 14] = [
    0,
    1,
    2,
    3,
    7,
    255,
    256,
    70_000,
    i32::MAX as u64,
    u32::MAX as u64,
    1 << 32,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];
const WORDS: [&str; 12] =
    ["", "0", "0.1", "0.9", "0.1.1", "sc", "tso", "weak", "main", "\0", "00ff", "99999999999999999999"];

/// The way to each value inside `value`, by JSON pointer.
fn pointers(value: &Value, here: &str, to: &mut Vec<String>) {
    to.push(here.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{here}/{index}"), to);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                pointers(field, &format!("{here}/{name}"), to);
            }
        }
        _ => {}
    }
}

/// Another value of the same kind, mostly.
fn changed(value: &Value, random: &mut Rng) -> Value {
    match value {
        Value::Bool(value) => Value::Bool(!value),
        Value::Number(number) => match (number.as_u64(), random.usize(..3)) {
            (Some(number), 0) => number.wrapping_add(1).into(),
            (Some(number), 1) => number.saturating_sub(1).into(),
            _ => random.choice(STRANGE).unwrap().into(),
        },
        Value::String(text) if random.usize(..3) == 0 => {
            Value::String(text.chars().take(text.chars().count() / 2).collect())
        }
        Value::String(_) => Value::String(random.choice(WORDS).unwrap().into()),
        Value::Array(items) => {
            let mut items = items.clone();
            let some = ..items.len().max(1);
            let (one, other) = (random.usize(some), random.usize(some));
            match random.usize(..4) {
                _ if items.is_empty() => items.push(Value::from(random.choice(STRANGE).unwrap())),
                0 => drop(items.remove(one)),
                1 => items.insert(other, items[one].clone()),
                2 => items.swap(one, other),
                _ => items.truncate(one),
            }
            Value::Array(items)
        }
        Value::Object(fields) => {
            let mut fields = fields.clone();
            let names: Vec<String> = fields.keys().cloned().collect();
            if !names.is_empty() {
                let (from, to) = (random.choice(&names).unwrap(), random.choice(&names).unwrap());
                fields[to] = fields[from].clone();
            }
            Value::Object(fields)
        }
        Value::Null => random.choice(STRANGE).unwrap().into(),
    }
}

/// The text of a file with some of its values changed. The values that say whose file it is mostly stay:
/// without them, it is refused.
fn damaged_text(text: &str, random: &mut Rng) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    for _ in 0..=random.usize(..3) {
        let mut places = Vec::new();
        pointers(&value, "", &mut places);
        if random.usize(..8) > 0 {
            let of_program = ["/version", "/program", "/memory_model", "/arguments", "/environment"];
            places
                .retain(|place| !place.is_empty() && !of_program.iter().any(|name| place.starts_with(name)));
        }
        // Most of a long file is names of places; half of the changes go to what is followed.
        let is_followed = |place: &&String| {
            ["/decisions", "/inputs", "/threads", "/symbolic", "/visible_sites", "/recorded_calls"]
                .iter()
                .any(|name| place.starts_with(name))
        };
        let followed: Vec<String> = places.iter().filter(is_followed).cloned().collect();
        let places = if followed.is_empty() || random.usize(..2) == 0 { places } else { followed };
        if let Some(place) = value.pointer_mut(random.choice(&places).unwrap()) {
            *place = changed(place, random);
        }
    }
    value.to_string()
}

/// A profile that says something else, as well-formed as before.
fn damaged_profile(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut profile = Profile::read(bytes).unwrap();
    for _ in 0..=random.usize(..3) {
        let thread = random.usize(..profile.threads.len());
        let strange = random.choice(STRANGE).unwrap();
        let at = &mut profile.threads[thread];
        let unit = random.usize(..at.units.len().max(1));
        match random.usize(..9) {
            0 | 1 if !at.units.is_empty() => at.units[unit] = random.u16(..),
            2 if !at.units.is_empty() => at.units[unit] = at.units[unit].wrapping_add(1),
            3 => at.units.truncate(unit),
            4 if !at.units.is_empty() => at.units.insert(unit, at.units[unit]),
            5 => at.name = random.choice(WORDS).unwrap().into(),
            6 => at.open.iter_mut().for_each(|frame| frame.function = strange as u32),
            7 => at.inputs.iter_mut().for_each(|call| {
                call.times = strange as u32;
                if let Some(answer) = &mut call.answer {
                    answer.result = strange as i64;
                    answer.bytes.truncate(strange as usize);
                }
            }),
            _ => {
                let other = random.usize(..profile.threads.len());
                profile.threads.swap(thread, other);
            }
        }
    }
    profile.write()
}

/// Bytes changed here and there, or cut off.
fn damaged_bytes(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.usize(..3) {
        let at = random.usize(..bytes.len().max(1));
        match random.usize(..4) {
            _ if bytes.is_empty() => {}
            0 => bytes[at] ^= 1 << random.usize(..8),
            1 => bytes[at] = random.choice([0, 0x7F, 0x80, 0xFF]).unwrap(),
            2 => drop(bytes.drain(at..(at + 4).min(bytes.len()))),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Runs symx in `at`, with no more than so much memory; it is killed where it takes too long.
fn symx(at: &Path, line: &str) -> Output {
    let limited = format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_symx")])
        .args(line.split_whitespace())
        .current_dir(at)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(at.join("said")).unwrap())
        .stderr(std::fs::File::create(at.join("complained")).unwrap())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > LONGEST => {
                child.kill().unwrap();
                break child.wait().unwrap();
            }
            None => std::thread::sleep(Duration::from_millis(3)),
        }
    };
    let read = |name| std::fs::read(at.join(name)).unwrap();
    Output { status, stdout: read("said"), stderr: read("complained") }
}

/// The files of one failing execution, as symx wrote them.
struct Originals {
    schedule: String,
    trace: String,
    binary_trace: Vec<u8>,
    explanation: String,
    profile: Vec<u8>,
}

impl Originals {
    fn make(at: &Path) -> Self {
        std::fs::write(at.join("prog.c"), PROGRAM).unwrap();
        let compile = ["-O1", "-g", "-pthread", "-emit-llvm", "-c", "prog.c", "-o", "prog.bc"];
        assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
        let done = |line: &str, code: i32| {
            let output = symx(at, line);
            assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        };
        done("instrument prog.bc -o prog", 0);
        let fails = || symx(at, "record --quiet -- ./prog").status.code() == Some(128 + 6);
        assert!((0..40).any(|_| fails()), "the program never failed");
        done("run --quiet --guide path.prof --out found prog.bc", 1);
        done("trace make --quiet prog.bc found/schedule.json -o trace.json", 0);
        done("trace make --quiet prog.bc found/schedule.json -o trace.bin", 0);
        let text = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
        Self {
            schedule: text("found/schedule.json"),
            trace: text("trace.json"),
            binary_trace: std::fs::read(at.join("trace.bin")).unwrap(),
            explanation: text("found/explanation.json"),
            profile: std::fs::read(at.join("path.prof")).unwrap(),
        }
    }

    /// Leaves a damaged file, and says which command is to be given it.
    fn damage(&self, at: &Path, random: &mut Rng) -> String {
        let leave = |name: &str, bytes: &[u8]| std::fs::write(at.join(name), bytes).unwrap();
        match random.usize(..8) {
            0..=3 => {
                leave("s.json", damaged_text(&self.schedule, random).as_bytes());
                random
                    .choice([
                        "replay prog.bc s.json",
                        "replay prog.bc s.json --native ./prog --times 1",
                        "simplify prog.bc s.json -o simple.json",
                        "explain prog.bc s.json --max-time 5 --html page.html",
                        "trace make prog.bc s.json -o t.json",
                        "trace solve prog.bc s.json",
                    ])
                    .unwrap()
                    .into()
            }
            4 if random.usize(..2) == 0 => {
                leave("t.json", damaged_text(&self.trace, random).as_bytes());
                "trace show t.json".into()
            }
            4 => {
                leave("t.bin", &damaged_bytes(&self.binary_trace, random));
                "trace show t.bin".into()
            }
            5 => {
                leave("e.json", damaged_text(&self.explanation, random).as_bytes());
                "report e.json --html page.html --dot graph.dot --sarif log.sarif".into()
            }
            _ => {
                let bytes = match random.usize(..4) {
                    0 => damaged_bytes(&self.profile, random),
                    _ => damaged_profile(&self.profile, random),
                };
                leave("p.prof", &bytes);
                random
                    .choice([
                        "profile show p.prof",
                        "run --guide p.prof --max-time 3 --max-memory 4000 --out again prog.bc",
                        "run --guide p.prof --engine synthesis --max-time 3 --max-memory 4000 --out again prog.bc",
                    ])
                    .unwrap()
                    .into()
            }
        }
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn damaged_files_come_to_a_result_or_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let originals = Originals::make(at);
    let mut random = Rng::with_seed(0x5EED_5717 + setting("DAMAGED_SEED", 0));
    let (mut codes, mut wrong) = ([0; 4], Vec::new());
    for number in 0..setting("DAMAGED_COMMANDS", 60) {
        let line = originals.damage(at, &mut random);
        let output = symx(at, &line);
        let complaint = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code().and_then(|code| usize::try_from(code).ok());
        // A refusal says why in one line.
        let is_named = code != Some(2) || complaint.lines().any(|line| line.starts_with("symx: error: "));
        let has_panicked = complaint.contains("internal error") || complaint.contains("panicked");
        match code.and_then(|code| codes.get_mut(code)) {
            Some(count) if is_named && !has_panicked => *count += 1,
            _ => {
                wrong.push(format!("{number}: {line}: {:?}: {complaint}", output.status));
                if let Ok(keep) = std::env::var("DAMAGED_KEEP") {
                    let kept = Path::new(&keep).join(number.to_string());
                    std::fs::create_dir_all(&kept).unwrap();
                    for name in ["s.json", "t.json", "t.bin", "e.json", "p.prof", "prog.bc", "prog"] {
                        let _ = std::fs::copy(at.join(name), kept.join(name));
                    }
                }
            }
        }
    }
    println!("by exit code: {codes:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Else the damage was such that nothing was tried.
    assert!(codes[0] > 0 && codes[1] > 0 && codes[2] > 0, "{codes:?}");
}
