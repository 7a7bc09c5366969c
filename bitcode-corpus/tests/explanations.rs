//! Explanations of published bugs, re-created in `explained/`: how much of a failing execution is left to look at, beside
//! the best numbers published (Symbiosis, TOSEM 2016; MaxSMT, AAAI 2019). The table printed with `--nocapture` is that of
//! `docs/explanations.md`.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::{cache, folder};
use symx_trace::Explanation;
use symx_trace::explanation::{Remedy, Trial};

/// A bug and what is known of it.
struct Bug {
    name: &'static str,
    program: &'static str,
    model: &'static str,
    /// For the compiler.
    flags: &'static [&'static str],
    /// Steps of the smallest projection published, data flows in it.
    published: Option<(usize, usize)>,
    /// What helps.
    remedy: Kind,
    /// Whether the program is safe with the first remedy. If not, the report says why.
    is_enough: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    AtomicBlock,
    Order,
    Fence,
}

const fn bug(
    name: &'static str,
    program: &'static str,
    published: Option<(usize, usize)>,
    remedy: Kind,
) -> Bug {
    Bug { name, program, model: "sc", flags: &[], published, remedy, is_enough: true }
}

const BUGS: &[Bug] = &[
    bug("crasher", "crasher", Some((9, 1)), Kind::AtomicBlock),
    bug("stringbuffer", "stringbuffer", Some((15, 1)), Kind::AtomicBlock),
    // The block waits inside for a condition: who holds it keeps out those that would make it true.
    Bug { is_enough: false, ..bug("bbuf", "bounded_buffer", Some((19, 1)), Kind::AtomicBlock) },
    bug("pfscan", "file_scanner", Some((16, 1)), Kind::AtomicBlock),
    bug("pbzip2 S", "compressor", Some((4, 1)), Kind::AtomicBlock),
    Bug {
        flags: &["-DBLOCKS=6", "-DCONSUMERS=3"],
        ..bug("pbzip2 M", "compressor", Some((3, 1)), Kind::AtomicBlock)
    },
    bug("airline", "airline", Some((3, 1)), Kind::AtomicBlock),
    bug("bank", "bank", Some((6, 1)), Kind::AtomicBlock),
    bug("2stage", "two_stage", Some((3, 1)), Kind::AtomicBlock),
    bug("cache4j S", "cache", Some((6, 1)), Kind::AtomicBlock),
    Bug { flags: &["-DROUNDS=5"], ..bug("cache4j M", "cache", Some((3, 1)), Kind::AtomicBlock) },
    // Two flows, an order for each.
    bug("MaxSMT Fig. 1", "two_flows", None, Kind::Order),
    bug("null mutex", "null_mutex", None, Kind::Order),
    bug("freed lock", "freed_lock", None, Kind::Order),
    bug("missed signal", "missed_signal", None, Kind::Order),
    bug("AB-BA deadlock", "opposite_locks", None, Kind::AtomicBlock),
    Bug { model: "tso", ..bug("store buffering (TSO)", "store_buffering", None, Kind::Fence) },
    Bug { model: "pso", ..bug("message passing (PSO)", "message_passing", None, Kind::Fence) },
];

fn symx(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symx-under-test"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("symx starts")
}

fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Finds the bug and explains it; how long that took, and what was said.
fn explain(bug: &Bug) -> (Explanation, Duration, String) {
    let source = folder().join("explained").join(bug.program).with_extension("c");
    let flags: Vec<String> = bug.flags.iter().map(ToString::to_string).collect();
    let bitcode = compile_bitcode(&source, &flags, &cache()).unwrap().display().to_string();
    let out = tempfile::tempdir().unwrap();
    let out = out.path().display().to_string();
    let run = symx(&["run", &bitcode, "--memmodel", bug.model, "--out", &out]);
    assert_eq!(run.status.code(), Some(1), "{}: {}", bug.name, said(&run));
    let (schedule, json) = (format!("{out}/failure-1.schedule.json"), format!("{out}/explanation.json"));
    let begun = Instant::now();
    let explained = symx(&["explain", &bitcode, &schedule, "--json", &json]);
    let taken = begun.elapsed();
    assert_eq!(explained.status.code(), Some(0), "{}: {}", bug.name, said(&explained));
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
    let explanation = Explanation::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
    (explanation, taken, text)
}

#[test]
fn simplified_schedules_have_the_fewest_context_switches() {
    for bug in BUGS {
        let source = folder().join("explained").join(bug.program).with_extension("c");
        let flags: Vec<String> = bug.flags.iter().map(ToString::to_string).collect();
        let bitcode = compile_bitcode(&source, &flags, &cache()).unwrap().display().to_string();
        let out = tempfile::tempdir().unwrap();
        let out = out.path().display().to_string();
        let run = symx(&["run", &bitcode, "--memmodel", bug.model, "--out", &out]);
        assert_eq!(run.status.code(), Some(1), "{}: {}", bug.name, said(&run));
        let schedule = format!("{out}/failure-1.schedule.json");
        let simplified = symx(&["simplify", &bitcode, &schedule, "--optimal", "--max-time", "60"]);
        assert_eq!(simplified.status.code(), Some(0), "{}: {}", bug.name, said(&simplified));
        let text = String::from_utf8_lossy(&simplified.stdout).into_owned();
        let number = |before: &str| -> Option<u32> {
            text.split_once(before)?.1.split_whitespace().next()?.parse().ok()
        };
        let simplified = text.find("simplified: ").map(|at| &text[at..]).unwrap_or_default();
        let reached =
            simplified.split_once(") to ").and_then(|(_, rest)| rest.split_once(' ')?.0.parse().ok());
        assert!(reached.is_some(), "{}: {text}", bug.name);
        // pbzip2 M has too many executions within its bound to look at them all in that time.
        let is_proven = !text.contains("not proven");
        if is_proven || bug.name != "pbzip2 M" {
            assert_eq!(number("optimal: it takes "), reached, "{}: {text}", bug.name);
        }
    }
}

fn kind(remedy: &Remedy) -> Kind {
    match remedy {
        Remedy::AtomicBlock { .. } => Kind::AtomicBlock,
        Remedy::Order { .. } => Kind::Order,
        Remedy::Fence { .. } => Kind::Fence,
    }
}

#[test]
fn projections_are_no_larger_than_those_published() {
    println!(
        "| bug | steps | in the projection | data flows | switches | remedy | time | published: steps, flows |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut wrong = Vec::new();
    for bug in BUGS {
        let (explanation, taken, text) = explain(bug);
        let alternate = explanation.alternate.as_ref();
        let Some(alternate) = alternate else {
            wrong.push(format!("{}: no alternate\n{text}", bug.name));
            continue;
        };
        assert!(alternate.failure.is_none() && explanation.failing.failure.is_some(), "{}", bug.name);
        let failing = &explanation.failing;
        let all = failing.steps.iter().filter(|step| step.is_taken()).count();
        let difference = &explanation.difference;
        let taking_part = |step: &&u32| failing.steps[**step as usize].is_taken();
        let steps = difference.failing_steps.iter().filter(taking_part).count();
        let flows = difference.failing_flows.len();
        let published = bug.published.map_or("-".into(), |(steps, flows)| format!("{steps}, {flows}"));
        let kinds: Vec<Kind> = explanation.remedies.iter().map(kind).collect();
        println!(
            "| {} | {all} | {steps} | {flows} | {} | {:?} | {:.2} s | {published} |",
            bug.name,
            failing.context_switches,
            kinds.first(),
            taken.as_secs_f64()
        );
        let is_larger = bug.published.is_some_and(|published| steps > published.0 || flows > published.1);
        let trial = explanation.remedies.first().map(Remedy::trial);
        let is_as_expected = match trial {
            Some(Trial::Safe | Trial::SafeTogether) => bug.is_enough,
            Some(Trial::Fails(_)) => !bug.is_enough,
            _ => false,
        };
        if !is_as_expected {
            wrong.push(format!("{}: {trial:?}\n{text}", bug.name));
        }
        if is_larger || !kinds.contains(&bug.remedy) {
            wrong.push(format!("{}: {steps} steps, {flows} flows, {kinds:?}\n{text}", bug.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
