//! Traces of the [workloads](super::workloads): what engines say of small ones is what enumeration says, and
//! how many large ones the forward walk solves. These are not used for tuning.

use super::simulated::BUFFERINGS;
use super::workloads::{SHAPES, Shape, trace};
use super::{brute_force, processor_seconds, verdict};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use symx_checkers::synthesis::{
    Answer, Engine, Forward, Problem, Synthesis, SynthesisLimits, System, synthesize_by_all,
};
use symx_expr::{StopReason, StopToken, Terms};
use symx_memmodel::MODELS;
use symx_trace::symbolic::SymbolicTrace;

fn problem(trace: SymbolicTrace, model: usize) -> Problem {
    Problem::new(Arc::new(Terms::new()), trace, MODELS[model]).expect("a trace that is right")
}

/// Stops after this many seconds of this thread's CPU time.
pub fn processor_time(seconds: f64) -> StopToken {
    let start = processor_seconds();
    let (asked, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
    StopToken::when(move || {
        let count = asked.fetch_add(1, Ordering::Relaxed);
        if count.is_multiple_of(64) && processor_seconds() - start > seconds {
            is_over.store(true, Ordering::Relaxed);
        }
        is_over.load(Ordering::Relaxed).then_some(StopReason::MaxTime)
    })
}

/// Each trace has the execution that it was made from; with another value asked for, some have none.
#[test]
fn engines_agree_on_traces_of_workloads() {
    let (mut found, mut walked, mut enumerated, mut impossible) = (0, 0, 0, 0);
    for shape in SHAPES {
        for (model, buffering) in BUFFERINGS.into_iter().enumerate() {
            for (seed, is_spoiled) in [(0, false), (1, false), (2, true), (3, true)] {
                let what = format!("{shape:?}, seed {seed} under {}", MODELS[model].name());
                let problem = problem(trace(shape, 1, seed, buffering, is_spoiled), model);
                let system = System::new(&problem);
                let possible = brute_force::is_possible(&problem, 3_000);
                assert!(is_spoiled || possible != Some(false), "{what}: its execution is none");
                let forward = verdict(&problem, &system, &mut Forward::new(&problem, 20_000), &what);
                let all = match synthesize_by_all(&problem, &SynthesisLimits::default()) {
                    Synthesis::Found { .. } => true,
                    Synthesis::Impossible { .. } => false,
                    Synthesis::Unknown(reasons) => panic!("{what}: {reasons:?}"),
                };
                assert!(all || is_spoiled, "{what}: no engine finds its execution");
                for said in [forward, possible].into_iter().flatten() {
                    assert_eq!(said, all, "{what}");
                }
                found += usize::from(all);
                walked += usize::from(forward.is_some());
                enumerated += usize::from(possible.is_some());
                impossible += usize::from(!all);
            }
        }
    }
    let what = format!("{found} found, {walked} walked, {enumerated} enumerated, {impossible} impossible");
    println!("{what}");
    assert!(impossible > 10 && enumerated > 20 && 3 * walked > 2 * found, "{what}");
}

/// Rounds of each thread with which a trace of a shape has about 250 events.
fn rounds(shape: Shape) -> u64 {
    match shape {
        Shape::BoundedBuffer | Shape::NestedLocks | Shape::SequenceLock => 7,
        Shape::ReadersAndWriters | Shape::Phases | Shape::Mailboxes | Shape::LinkedStack => 14,
        Shape::HandOver | Shape::WorkStealing => 12,
        Shape::Pool => 6,
    }
}

/// How many traces of each shape the forward walk solves within two seconds of CPU time each. There are
/// `SYMX_SYNTHESIS_TRACES` seeds, of one, three and six times 250 events. `SYMX_SYNTHESIS_ROWS` names shapes.
#[test]
#[ignore = "a table of times"]
fn workloads_by_shape() {
    let wanted = std::env::var("SYMX_SYNTHESIS_ROWS").unwrap_or_default();
    let (mut solved, mut asked) = (0, 0);
    for shape in SHAPES.into_iter().filter(|shape| format!("{shape:?}").contains(&wanted)) {
        for (model, buffering) in BUFFERINGS.into_iter().enumerate() {
            for size in [1, 3, 6] {
                for seed in 100..100 + super::trace_count().min(20) {
                    let problem = problem(trace(shape, size * rounds(shape), seed, buffering, false), model);
                    let (start, stop) = (processor_seconds(), processor_time(2.0));
                    let forward = SynthesisLimits::default().forward;
                    let answer = Forward::new(&problem, forward).stopped_by(stop).solve(&[]);
                    let (took, events) = (processor_seconds() - start, problem.event_count());
                    let is_solved = matches!(answer, Answer::Model(_));
                    let name = MODELS[model].name();
                    println!("{shape:?} {name} {size} {seed}: {events} events, {took:.2} s, {is_solved}");
                    (solved, asked) = (solved + usize::from(is_solved), asked + 1);
                }
            }
        }
    }
    println!("{solved} of {asked}");
}
