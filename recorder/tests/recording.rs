//! Real programs, recorded natively however they end, against an independent trace of the same run.

mod inputs;
mod oracle;
mod stepping;
mod survival;

use std::path::Path;
use std::time::Duration;
use symx_recorder::{BuildOptions, InstrumentError, RecordError, RecordOptions, build, instrument, record};
use symx_trace::profile::{
    ActivationEnd, ActivationId, ActivationWalk, ProcessEnd, Profile, RecordEnd, RecordedEdge,
};

struct Recorded {
    profile: Profile,
    functions: Vec<oracle::Function>,
    seen: Vec<Vec<oracle::Seen>>,
    _directory: tempfile::TempDir,
}

/// Records a program of `tests/programs`, with the oracle in it if `is_traced`.
fn run(program: &str, arguments: &[&str], is_traced: bool, timeout: Option<Duration>) -> Recorded {
    run_at("-O0", program, arguments, is_traced, timeout)
}

/// As `run`, for bitcode that was optimised before it is instrumented.
fn run_at(
    level: &str,
    program: &str,
    arguments: &[&str],
    is_traced: bool,
    timeout: Option<Duration>,
) -> Recorded {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = oracle::compile(&here.join("programs").join(program), level, &at("program.ll"));
    let traced = oracle::trace(&text);
    let mut options = BuildOptions::default();
    let text = if is_traced {
        options.link_arguments.extend(["-w".into(), here.join("oracle/trace.c").display().to_string()]);
        // clang takes the language of a file from its name unless it is given.
        &traced.text
    } else {
        &text
    };
    build(text.as_bytes(), &at("program"), &options).unwrap();
    let profile = record(&RecordOptions {
        binary: at("program"),
        arguments: arguments.iter().map(Into::into).collect(),
        environment: vec![("ORACLE_TRACE".into(), at("trace").into())],
        timeout,
        ..RecordOptions::default()
    })
    .unwrap();
    // The profile read is the one written.
    assert_eq!(Profile::read(&profile.write()).unwrap(), profile);
    let seen = if is_traced { oracle::read_trace(&at("trace"), &traced.functions) } else { Vec::new() };
    Recorded { profile, functions: traced.functions, seen, _directory: directory }
}

/// Every thread's decoded record agrees with one thread of the oracle's.
fn check(recorded: &Recorded) {
    let mut left: Vec<_> = recorded.seen.iter().collect();
    for thread in &recorded.profile.threads {
        let tree = thread.decode().unwrap();
        let mut reasons = Vec::new();
        let found = left.iter().position(|seen| {
            if !oracle::same_count(&tree, tree.roots(), seen) {
                reasons.push(format!("{} roots against {}", tree.roots().len(), seen.len()));
                return false;
            }
            let mut pairs = tree.roots().iter().zip(seen.iter());
            pairs.all(|(&root, seen)| match oracle::agrees(&tree, root, seen, &recorded.functions) {
                Ok(()) => true,
                Err(reason) => {
                    reasons.push(reason);
                    false
                }
            })
        });
        match found {
            Some(at) => drop(left.remove(at)),
            // Killed before the oracle saw anything of it.
            None if tree.is_empty() || oracle::same_count(&tree, tree.roots(), &[]) => {}
            None => panic!("thread {}: {}", thread.name, reasons.join("\n")),
        }
    }
    assert!(left.is_empty(), "threads without a record: {left:?}");
}

fn names(profile: &Profile) -> Vec<&str> {
    profile.threads.iter().map(|thread| thread.name.as_str()).collect()
}

#[test]
fn a_normal_run() {
    let recorded = run("mixed.c", &[], true, None);
    check(&recorded);
    let profile = &recorded.profile;
    assert_eq!(profile.process.end, ProcessEnd::Exited(0));
    assert_eq!(names(profile), ["0", "0.1", "0.2", "0.2.1", "0.3"]);
    let ends: Vec<_> = profile.threads.iter().map(|thread| thread.decode().unwrap().end).collect();
    assert_eq!(ends[1..], [RecordEnd::ThreadEnded; 4]);
    assert_eq!(profile.thread("0").unwrap().decode().unwrap().created, [1, 2, 3]);
}

#[test]
fn optimised_bitcode() {
    for level in ["-O1", "-O2"] {
        for ending in ["normal", "abort", "leave"] {
            check(&run_at(level, "mixed.c", &[ending], true, None));
        }
    }
}

#[test]
fn abort_in_a_nested_thread() {
    let recorded = run("mixed.c", &["abort"], true, None);
    check(&recorded);
    let thread = Some("0.2.1".to_string());
    assert_eq!(recorded.profile.process.end, ProcessEnd::Signalled { signal: 6, thread });
    assert_eq!(recorded.profile.process.arguments[1], b"abort");
}

#[test]
fn segmentation_fault() {
    let recorded = run("mixed.c", &["segv"], true, None);
    check(&recorded);
    let thread = Some("0.2.1".to_string());
    assert_eq!(recorded.profile.process.end, ProcessEnd::Signalled { signal: 11, thread });
}

#[test]
fn exit_from_a_thread() {
    let recorded = run("mixed.c", &["exit"], true, None);
    check(&recorded);
    assert_eq!(recorded.profile.process.end, ProcessEnd::Exited(7));
}

#[test]
fn killed_by_itself() {
    let recorded = run("mixed.c", &["kill"], true, None);
    check(&recorded);
    assert_eq!(recorded.profile.process.end, ProcessEnd::Signalled { signal: 9, thread: None });
}

#[test]
fn pthread_exit_abandons_the_open_functions() {
    let recorded = run("mixed.c", &["leave"], true, None);
    check(&recorded);
    let tree = recorded.profile.thread("0.2.1").unwrap().decode().unwrap();
    assert_eq!(tree.end, RecordEnd::ThreadEnded);
    assert!(matches!(tree.activation(tree.roots()[0]).end, ActivationEnd::Abandoned { .. }));
}

#[test]
fn killed_in_a_loop_with_the_oracle() {
    let recorded = run("spin.c", &[], true, Some(Duration::from_millis(150)));
    check(&recorded);
    assert_eq!(recorded.profile.process.end, ProcessEnd::TimedOut);
}

#[test]
fn killed_in_a_loop_after_many_chunks() {
    let recorded = run("spin.c", &[], false, Some(Duration::from_millis(250)));
    for name in ["0.1", "0.2"] {
        let thread = recorded.profile.thread(name).unwrap();
        assert!(thread.units.len() > 1 << 18, "{} units", thread.units.len());
        let tree = thread.decode().unwrap();
        assert_eq!(tree.len(), 1);
        let activation = tree.activation(tree.roots()[0]);
        let numbering = recorded.functions[activation.function as usize].numbering();
        let mut walk = ActivationWalk::new(numbering, activation);
        let mut state = name.as_bytes()[2] as u32 - b'0' as u32;
        // The program's own arithmetic says which way each turn went.
        let (mut turns, mut expected, mut branches) = (0u64, Vec::new(), Vec::new());
        while let RecordedEdge::Taken(edge) = walk.next_edge().unwrap() {
            if recorded.functions[activation.function as usize].successors[edge.block as usize].len() == 2 {
                branches.push(edge.successor);
            }
            turns += 1;
        }
        while expected.len() < branches.len() {
            state = state.wrapping_mul(1103515245).wrapping_add(12345);
            expected.push(u32::from(state & 0x10000 == 0));
            if state & 0x10000 == 0 {
                expected.push(u32::from(state & 0x20000 == 0));
            }
        }
        assert!(turns > 1 << 18);
        assert_eq!(branches[..], expected[..branches.len()]);
    }
}

#[test]
fn long_jumps_are_followed() {
    let recorded = run("jump.c", &[], false, None);
    let tree = recorded.profile.thread("0").unwrap().decode().unwrap();
    let main = tree.activation(tree.roots()[0]);
    let name = |id| recorded.functions[tree.activation(id).function as usize].name.as_str();
    let called: Vec<&str> = main.calls.iter().map(|&id| name(id)).collect();
    assert_eq!(called, ["deep", "deep", "deep", "after"]);
    let deepest = tree.activation(main.calls[2]);
    assert!(matches!(deepest.end, ActivationEnd::Abandoned { .. }));
    assert_eq!(main.end, ActivationEnd::Returned);
    let numbering = recorded.functions[main.function as usize].numbering();
    let mut walk = ActivationWalk::new(numbering, main);
    let mut jumps = 0;
    loop {
        match walk.next_edge().unwrap() {
            RecordedEdge::JumpedBack { block } => {
                assert_eq!(block, 0);
                jumps += 1;
            }
            RecordedEdge::Left { .. } => break,
            RecordedEdge::EndOfRecord { .. } => panic!("main returned"),
            RecordedEdge::Taken(edge) if jumps == 3 && edge.block == 0 => assert_eq!(edge.successor, 1),
            RecordedEdge::Taken(edge) | RecordedEdge::Possible(edge) => {
                assert!(edge.block != 0 || jumps < 3 || edge.successor == 1)
            }
        }
    }
    assert_eq!(jumps, 3);
}

#[test]
fn handlers_leave_the_interrupted_record_whole() {
    for way in ["signal", "__sysv_signal", "bsd_signal", "sigset"] {
        interrupted_by_handlers(&run("signals.c", &[way], false, None));
    }
}

fn interrupted_by_handlers(recorded: &Recorded) {
    assert_eq!(recorded.profile.process.end, ProcessEnd::Exited(0));
    let thread = recorded.profile.thread("0").unwrap();
    assert!(thread.signal_handlers >= 20, "{}", thread.signal_handlers);
    assert!(!thread.ends_in_handler);
    let tree = thread.decode().unwrap();
    let main = tree.activation(tree.roots()[0]);
    assert_eq!((tree.roots().len(), main.end), (1, ActivationEnd::Returned));
    let numbering = recorded.functions[main.function as usize].numbering();
    let mut walk = ActivationWalk::new(numbering, main);
    // Odd turns and even turns alternate.
    let mut last = None;
    loop {
        match walk.next_edge().unwrap() {
            RecordedEdge::Taken(edge) => {
                let name = edge.block;
                if recorded.functions[main.function as usize].successors[name as usize].len() == 2
                    && name == 2
                {
                    assert_ne!(last, Some(edge.successor));
                    last = Some(edge.successor);
                }
            }
            RecordedEdge::Left { .. } => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(last.is_some());
}

#[test]
fn a_forked_child_is_not_in_the_record() {
    let recorded = run("fork.c", &[], false, None);
    assert_eq!(recorded.profile.process.end, ProcessEnd::Exited(5));
    let tree = recorded.profile.thread("0").unwrap().decode().unwrap();
    assert_eq!(names(&recorded.profile), ["0"]);
    let main = tree.activation(tree.roots()[0]);
    assert_eq!((main.end, main.calls.len(), tree.len()), (ActivationEnd::Returned, 1, 2));
}

#[test]
fn a_stack_overflow_is_recorded_to_its_depth() {
    let recorded = run("deep.c", &[], false, None);
    let signal = ProcessEnd::Signalled { signal: 11, thread: Some("0".to_string()) };
    assert_eq!(recorded.profile.process.end, signal);
    let thread = recorded.profile.thread("0").unwrap();
    assert!(thread.open.len() > 20_000, "{}", thread.open.len());
    let tree = thread.decode().unwrap();
    assert_eq!(tree.len(), thread.open.len());
}

#[test]
fn numbers_too_wide_for_a_unit() {
    let recorded = run("wide.c", &[], true, None);
    assert!(recorded.functions.iter().any(|function| function.numbering().paths() > 16_383));
    check(&recorded);
    assert!(matches!(recorded.profile.process.end, ProcessEnd::Signalled { signal: 6, .. }));
}

#[test]
fn a_program_without_instrumentation_is_refused() {
    let options = RecordOptions { binary: "/bin/true".into(), ..RecordOptions::default() };
    assert!(matches!(record(&options), Err(RecordError::NothingRecorded { .. })));
    assert!(matches!(instrument(b"BC\xC0\xDE nonsense"), Err(InstrumentError::Unreadable(_))));
}

#[test]
fn a_program_that_another_version_instrumented_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let binary = directory.path().join("older");
    // The first bytes that the runtime of version 4 writes.
    let script = "#!/bin/sh\nprintf 'SYMXTHRD\\004\\000\\000\\000' > \"$SYMX_RECORD_DIR/0.thread\"\n";
    std::fs::write(&binary, script).unwrap();
    std::fs::set_permissions(&binary, PermissionsExt::from_mode(0o755)).unwrap();
    let refused = record(&RecordOptions { binary: binary.clone(), ..RecordOptions::default() }).unwrap_err();
    assert!(matches!(&refused, RecordError::OtherVersion { path, found: 4 } if *path == binary));
    assert!(
        refused.to_string().ends_with("(its logs have version 4, this symx reads 6): instrument it again")
    );
}

#[test]
fn exceptions_unwind_the_record() {
    let recorded = run("throw.cc", &[], false, None);
    assert_eq!(recorded.profile.process.end, ProcessEnd::Exited(0));
    let tree = recorded.profile.thread("0").unwrap().decode().unwrap();
    let is_named =
        |id, name: &str| recorded.functions[tree.activation(id).function as usize].name.contains(name);
    let main = tree.roots().iter().copied().find(|&id| is_named(id, "main")).unwrap();
    let activation = tree.activation(main);
    assert_eq!(activation.end, ActivationEnd::Returned);
    let tries: Vec<_> = activation.calls.iter().filter(|&&id| is_named(id, "attempt")).collect();
    assert_eq!(tries.len(), 30);
    for (turn, &&id) in tries.iter().enumerate() {
        let attempt = tree.activation(id);
        assert_eq!(attempt.end, ActivationEnd::Returned);
        let abandoned = |&&call: &&_| matches!(tree.activation(call).end, ActivationEnd::Abandoned { .. });
        // Of the three steps, which share a landing pad, the one with the number of the turn throws.
        assert_eq!(attempt.calls.iter().filter(abandoned).count(), usize::from(turn % 5 < 3), "turn {turn}");
        let function = &recorded.functions[attempt.function as usize];
        let numbering = function.numbering();
        let mut walk = ActivationWalk::new(numbering, attempt);
        let mut blocks = vec![0];
        loop {
            match walk.next_edge().unwrap() {
                RecordedEdge::Taken(edge) => {
                    assert_eq!(Some(&edge.block), blocks.last());
                    blocks.push(function.successors[edge.block as usize][edge.successor as usize]);
                }
                RecordedEdge::Left { block } => break assert_eq!(Some(&block), blocks.last()),
                other => panic!("{other:?}"),
            }
        }
        // The steps are in blocks 0 to 2; the throwing one is the last of them to be left.
        let steps = blocks.iter().filter(|&&block| block < 3).count();
        assert_eq!(steps, (turn % 5 + 1).min(3), "turn {turn}: {blocks:?}");
    }
}

#[test]
fn functions_with_nothing_to_record_are_left_out() {
    let recorded = run("mixed.c", &[], false, None);
    let counted = |thread: &str, name: &str| {
        let tree = recorded.profile.thread(thread).unwrap().decode().unwrap();
        let function =
            |id| recorded.functions[tree.activation(ActivationId(id)).function as usize].name.as_str();
        (0..tree.len() as u32).filter(|&id| function(id) == name).count()
    };
    // fibonacci(9) makes 109 calls of itself in all, counting the first.
    assert_eq!(counted("0", "fibonacci"), 109);
    assert!(recorded.profile.threads.iter().all(|thread| counted(&thread.name, "leaf") == 0));
    // Each of the 20 turns locks and unlocks; locking is timed.
    let tree = recorded.profile.thread("0.1").unwrap().decode().unwrap();
    let child = tree.activation(tree.roots()[0]);
    assert_eq!(child.timed.len(), 20);
    assert!(child.timed.is_sorted());
}
