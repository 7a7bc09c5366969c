//! Damaged files: profiles, schedules and symbolic traces, changed and cut off. Each is read or refused by
//! name, and a file that is read can be used.
//!
//! `DAMAGED_INPUTS` sets how many of each kind (`./x damage`).

use fastrand::Rng;
use std::time::{Duration, Instant};
use symx_expr::{BitVector, Terms};
use symx_trace::profile::unit::{AGAIN, CREATED, ENTER, RETURN};
use symx_trace::profile::{
    ActivationId, Answer, FUNCTIONS, OpenFrame, ProcessEnd, ProcessRecord, Profile, ProgramHash,
    RecordedCall, ThreadProfile,
};
use symx_trace::schedule::{Repeated, VERSION};
use symx_trace::symbolic::{
    AccessOrdering, ObjectKind, ObjectName, Operation, SymbolicTrace, ThreadRef, TraceBuilder, file,
};
use symx_trace::{Agent, Decision, Failure, FailureKind, Input, Schedule, ThreadId, ThreadName};

/// No file of this size may take longer.
const LONGEST: Duration = Duration::from_secs(2);

/// Numbers and words that formats trip over.
const STRANGE: [&[u8]; 14] = [
    b"\0",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\xff\xff\xff\x7f",
    b"\x80",
    b"18446744073709551615",
    b"4294967295",
    b"-1",
    b"1e999",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"null",
    b"{}",
    b"\"\"",
    b"\\ud800",
    b"\xf0\x9f",
];

/// Changes a file here and there, or cuts it off.
fn damage(file: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.usize(..6) {
        let at = random.usize(..bytes.len().max(1));
        let end = (at + 1 + random.usize(..40)).min(bytes.len());
        match random.usize(..9) {
            _ if bytes.is_empty() => {}
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random.usize(..8),
            2 => bytes[at] = random.u8(..),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.usize(..bytes.len());
                bytes.splice(to..to, piece);
            }
            5 => {
                let strange = random.choice(STRANGE).unwrap();
                bytes.splice(at..end, strange.iter().copied());
            }
            6 => {
                let strange = random.choice(STRANGE).unwrap();
                bytes.splice(at..at, strange.iter().copied());
            }
            7 => {
                let digits = random.u64(..).to_string();
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    bytes.splice(at + digit..=at + digit, digits.into_bytes());
                }
            }
            _ => {
                let other = random.usize(..bytes.len());
                bytes.swap(at, other);
            }
        }
    }
    bytes
}

/// Makes the checksums of a file in blocks right again, so that damage gets past them. Blocks begin at byte
/// `first` with a name, a length, a checksum of both and one of what follows.
fn repair(bytes: &mut [u8], first: usize) {
    let mut at = first;
    while let Some(header) = bytes.get(at..at + 24) {
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let end = (at + 24 + length).min(bytes.len());
        let length = (end - at - 24) as u32;
        bytes[at + 4..at + 8].copy_from_slice(&length.to_le_bytes());
        let of_header = blake3::hash(&bytes[at..at + 8]);
        let of_payload = blake3::hash(&bytes[at + 24..end]);
        bytes[at + 8..at + 16].copy_from_slice(&of_header.as_bytes()[..8]);
        bytes[at + 16..at + 24].copy_from_slice(&of_payload.as_bytes()[..8]);
        at = end;
    }
}

fn count() -> usize {
    std::env::var("DAMAGED_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000)
}

/// Reads `count()` damaged copies of `files`; `read` says whether it was read, or why not. Some must be read
/// and some not.
fn try_damaged(files: &[Vec<u8>], first_block: Option<usize>, read: impl Fn(&[u8]) -> Result<(), String>) {
    let mut random = Rng::with_seed(0x5EED_5717);
    let (mut accepted, mut refused, mut longest) = (0, 0, Duration::ZERO);
    let mut reasons = std::collections::BTreeSet::new();
    for _ in 0..count() {
        let mut bytes = damage(&files[random.usize(..files.len())], &mut random);
        if let Some(first) = first_block.filter(|_| random.usize(..4) > 0) {
            repair(&mut bytes, first);
        }
        let begun = Instant::now();
        match read(&bytes) {
            Ok(()) => accepted += 1,
            Err(why) => {
                assert!(!why.trim().is_empty());
                reasons.insert(
                    why.chars().filter(|letter| letter.is_alphabetic() || *letter == ' ').collect::<String>(),
                );
                refused += 1;
            }
        }
        longest = longest.max(begun.elapsed());
        assert!(longest < LONGEST, "{longest:?} for {} bytes", bytes.len());
    }
    println!("{accepted} read, {refused} refused for {} reasons, longest {longest:?}", reasons.len());
    assert!(accepted > 0 && refused > 0 && reasons.len() > 3);
}

fn profile() -> Profile {
    let answer = Answer { result: -1, error: 4, bytes: vec![1, 2] };
    let inputs = FUNCTIONS.iter().map(|function| RecordedCall {
        function: function.name.into(),
        answer: (function.name != "read").then(|| answer.clone()),
        times: 1,
    });
    let thread = |name: &str, units| ThreadProfile {
        name: name.into(),
        started: 1_000,
        ended: None,
        signal: Some(6),
        signal_handlers: 0,
        ends_in_handler: false,
        open: vec![OpenFrame { function: 3, sum: 1 }],
        lost_units: 0,
        inputs: inputs.clone().collect(),
        is_cut: false,
        units,
    };
    let units = vec![ENTER + 3, 0, CREATED, 1, 0, ENTER + 4, 5, 5, 5, AGAIN + 3, 7, RETURN, 8, 9, 2];
    Profile {
        process: ProcessRecord {
            program: ProgramHash::of(b"program"),
            path_limit: 4096,
            arguments: vec![b"program".to_vec(), vec![0xFF, 0x00]],
            environment: vec![(b"A".to_vec(), b"1".to_vec())],
            working_directory: b"/".to_vec(),
            stdin: Some(b"input".to_vec()),
            end: ProcessEnd::Signalled { signal: 6, thread: Some("0.1".into()) },
            stderr_tail: b"assertion failed".to_vec(),
            unrecorded: vec![b"plugin.so".to_vec()],
        },
        threads: vec![thread("0", units.clone()), thread("0.1", units)],
        is_truncated: false,
    }
}

#[test]
fn damaged_profiles_are_read_or_refused() {
    try_damaged(&[profile().write()], Some(12), |bytes| {
        let profile = Profile::read(bytes).map_err(|error| error.to_string())?;
        for thread in &profile.threads {
            let tree = thread.decode().map_err(|error| error.to_string())?;
            for id in (0..tree.len() as u32).map(ActivationId) {
                std::hint::black_box(tree.activation(id));
            }
        }
        assert_eq!(
            Profile::read(&profile.write()).map(|again| again.threads.len()),
            Ok(profile.threads.len())
        );
        profile.check_program(ProgramHash::of(b"program")).map_err(|error| error.to_string())
    });
}

fn schedule() -> Schedule {
    let thread = |number| Decision::Run(Agent::Thread(ThreadId(number)));
    let decisions = [thread(0), thread(1), Decision::Choose(1), thread(0)];
    Schedule {
        version: VERSION,
        program: "a.c".into(),
        program_hash: "00ff".into(),
        memory_model: "any".into(),
        arguments: vec!["a".into(), "b\n\u{1F600}".into()],
        environment: vec!["A=1".into()],
        standard_input: b"input".to_vec(),
        recorded_calls: profile().threads.into_iter().map(|thread| (thread.name, thread.inputs)).collect(),
        symbolic: Default::default(),
        visible_sites: Some(vec![1, 2, u64::MAX]),
        tolerates_sync_misuse: true,
        tolerates_unwritten_arguments: true,
        tolerance: Default::default(),
        expected_output: None,
        spurious_wakeups: false,
        independent_descriptors: false,
        models_rust_runtime: true,
        checks_overflow: false,
        standard: None,
        what_if: vec!["omit:a.c:3".into()],
        threads: vec![ThreadName::main(), ThreadName::main().child(1)],
        inputs: vec![Input {
            name: "x".into(),
            bytes: vec![1, 2, 3],
            origin: Default::default(),
            declared: None,
        }],
        decisions: decisions.map(|decision| Repeated { decision, times: 3 }).to_vec(),
        failure: Some(Failure::new(FailureKind::Assert, "x == 1")),
    }
}

#[test]
fn damaged_schedules_are_read_or_refused() {
    let plain = serde_json::to_vec(&schedule()).unwrap();
    let pretty = serde_json::to_vec_pretty(&schedule()).unwrap();
    try_damaged(&[plain, pretty], None, |bytes| {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let schedule: Schedule = serde_json::from_str(text).map_err(|error| error.to_string())?;
        std::hint::black_box((schedule.context_switches(), schedule.unfolded().take(1_000).count()));
        let again: Schedule = serde_json::from_str(&serde_json::to_string(&schedule).unwrap()).unwrap();
        assert_eq!(again, schedule);
        Ok(())
    });
}

fn trace() -> SymbolicTrace {
    let terms = Terms::new();
    let mut builder = TraceBuilder::new(&terms);
    builder.of_program("a.c", "00ff");
    let (main, x) = (ThreadRef(0), builder.variable("x", 4));
    let name = ObjectName::Allocated { thread: ThreadName::main(), number: 0 };
    let mutex = builder.object(name, ObjectKind::Mutex, "made by main");
    let child = builder.thread(ThreadName::main().child(1));
    builder.event(main, Operation::Create(child));
    builder.event(child, Operation::Begin);
    let input = terms.symbol("input", 32);
    builder.input(input, Some(&BitVector::from_u64(32, 7)));
    builder.initial(x, terms.constant(32, 1));
    for thread in [main, child] {
        builder.event(thread, Operation::Lock(mutex));
        let value = builder.read(thread, x, AccessOrdering::NotAtomic);
        let sum = terms.add(value, input);
        builder.condition(thread, terms.unsigned_less(value, sum));
        builder.write(thread, x, AccessOrdering::Release, sum);
        builder.event(thread, Operation::Unlock(mutex));
    }
    builder.blocked(child, Operation::Lock(mutex));
    let bug = terms.equal(input, terms.constant(32, 5));
    builder.finish(bug, None)
}

#[test]
fn damaged_traces_are_read_or_refused() {
    try_damaged(&[file::write(&trace())], Some(12), |bytes| {
        use_trace(&file::read(bytes).map_err(|error| error.to_string())?);
        Ok(())
    });
}

#[test]
fn damaged_traces_as_text_are_read_or_refused() {
    try_damaged(&[trace().to_json().into_bytes()], None, |bytes| {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        use_trace(&SymbolicTrace::from_json(text).map_err(|error| error.to_string())?);
        Ok(())
    });
}

fn use_trace(trace: &SymbolicTrace) {
    trace.terms.load(&Terms::new());
    assert!(file::read(&file::write(trace)).expect("what was written is read") == *trace);
    assert!(SymbolicTrace::from_json(&trace.to_json()).expect("what was written is read") == *trace);
}
