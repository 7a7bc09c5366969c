//! Native runs with delays at random: nothing they do is missing from what symx has found.

use crate::calls::Kind;
use crate::modes::{Seen, told};
use crate::program::{Operation, Own, Program, ToThread};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use symx_trace::FailureKind;

/// How many runs of each program.
const RUNS: u32 = 24;

/// Seconds after which a run is taken to wait forever, and when that is asked again.
const PATIENCE: [u32; 2] = [2, 20];

/// The exit of a run that a wild access ends.
const CRASHED: &str = "killed11";

/// Whether a native run means what the program says: nothing is undefined, and no thread that may be gone is
/// used.
fn is_defined(program: &Program, seen: &Seen) -> bool {
    // A thread that fails does so natively some time after its last step, and the process may end in between.
    let ends_early = [FailureKind::SyncMisuse, FailureKind::Assert];
    let fails = seen.failures.iter().any(|failure| ends_early.contains(&failure.0));
    let is_undefined = |operation: &Operation| {
        // A cancellation in the midst of a call is not defined for all calls. Of outputs that an unknown
        // number is in, symx lists one.
        matches!(operation, Operation::Own(Own::CancelAtOnce) | Operation::Input(3..))
    };
    // Whose thread has ended and is detached, its handle may be another's.
    let detaches = program.has(|operation| {
        matches!(operation, Operation::Thread(ToThread::Detach | ToThread::CreateDetached, _))
    });
    let uses =
        |operation: &Operation| matches!(operation, Operation::Thread(ToThread::Cancel | ToThread::Kill, _));
    !(fails || detaches && program.has(uses) || program.has(is_undefined) || differs_in_glibc(program))
}

/// Whether glibc answers what POSIX does not let it. Where a thread tries to lock a robust mutex: EDEADLK if
/// it holds it and the mutex checks for errors. EBUSY from the second time on if the mutex is not
/// recoverable, as the first try leaves it locked. And `pthread_mutex_consistent` succeeds there for a thread
/// that does not hold the mutex. A wait for a semaphore with a time that is none does not act on a request to
/// cancel.
fn differs_in_glibc(program: &Program) -> bool {
    let cancels = program.has(|operation| matches!(operation, Operation::Thread(ToThread::Cancel, _)));
    program.has(|operation| match operation {
        Operation::Call(call, objects) if call.name == "timedwait-invalid" => {
            cancels && matches!(program.objects[objects[0]], Kind::Semaphore(_))
        }
        Operation::Call(call, objects) => {
            call.name == "consistent" || call.name == "trylock" && program.objects[objects[0]].is_robust()
        }
        _ => false,
    })
}

/// Runs the program at `index` of `native`; an error names what is missing.
pub fn runs(native: &Path, index: usize, program: &Program, seed: u64, seen: &Seen) -> Result<bool, String> {
    if !is_defined(program, seen) {
        return Ok(false);
    }
    let outcomes = run(native, index, seed, RUNS, PATIENCE[0]);
    let has = |kinds: &[FailureKind]| seen.failures.iter().any(|failure| kinds.contains(&failure.0));
    let is_robust = program.objects.iter().any(|kind| kind.is_robust());
    let is_known = |line: &str| -> bool {
        let (status, output) = line.split_once(' ').unwrap_or((line, ""));
        match status {
            // glibc walks its list of robust mutexes while the process ends beside it.
            CRASHED if is_robust => true,
            "hang" => has(&[FailureKind::Deadlock, FailureKind::Livelock]),
            _ => {
                let bytes = bytes(output);
                let status: Result<u8, _> = status.parse();
                status.is_ok_and(|status| seen.outcomes.contains(&(bytes, status)))
            }
        }
    };
    let missing: BTreeSet<&String> = outcomes.iter().filter(|line| !is_known(line)).collect();
    let mut missing: Vec<String> = missing.into_iter().cloned().collect();
    // A slow run is not one that never ends.
    if missing.iter().any(|line| line.starts_with("hang")) {
        let again = run(native, index, seed, RUNS, PATIENCE[1]);
        missing.retain(|line| !line.starts_with("hang"));
        missing.extend(again.into_iter().filter(|line| !is_known(line)));
    }
    if missing.is_empty() {
        return Ok(true);
    }
    let missing: BTreeSet<String> = missing.iter().map(|line| in_words(line)).collect();
    Err(format!("symx misses native {}", missing.into_iter().collect::<Vec<_>>().join(", ")))
}

fn run(native: &Path, index: usize, seed: u64, runs: u32, seconds: u32) -> Vec<String> {
    let numbers = [index as u64, u64::from(runs), seed % 1_000_000, u64::from(seconds)];
    let output = Command::new(native).args(numbers.map(|number| number.to_string())).output();
    let output = output.expect("the native program runs");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn bytes(digits: &str) -> Vec<u8> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or("0"), 16).unwrap_or(0);
    digits.trim().as_bytes().chunks(2).map(pair).collect()
}

fn in_words(line: &str) -> String {
    let (status, output) = line.split_once(' ').unwrap_or((line, ""));
    match status.parse() {
        Ok(status) => told(&(bytes(output), status)),
        Err(_) => line.to_owned(),
    }
}
