//! The fewest preemptions: the proven number is that found by enumerating all executions in order of their
//! preemptions.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use symx_checkers::synthesis::{
    Machine, OrderTheory, Problem, State, Synthesis, SynthesisLimits, System, Unknown, fewest_preemptions,
    synthesize, synthesize_by_all, validate,
};
use symx_expr::{Assignment, StopReason, StopToken, Terms};
use symx_memmodel::MODELS;

/// The fewest preemptions with which the bug shows, if it does; nothing if there are more states than `most`.
fn least(problem: &Problem, most: usize) -> Option<Option<u32>> {
    let machine = Machine::new(problem, &Assignment::new());
    let mut open: VecDeque<(u32, State, Option<usize>)> = VecDeque::from([(0, machine.start(), None)]);
    if !machine.can_start() {
        return Some(None);
    }
    let mut seen = HashSet::new();
    while let Some((cost, state, running)) = open.pop_front() {
        if !seen.insert((state.clone(), running)) {
            continue;
        }
        if machine.is_over(&state) && machine.shows_bug(&state) {
            return Some(Some(cost));
        }
        if seen.len() > most {
            return None;
        }
        for thread in 0..problem.thread_count() {
            let left = running.filter(|running| *running != thread);
            let preempts = left.is_some_and(|running| machine.is_enabled(&state, running));
            for wakes in 0..machine.sleepers(&state, thread).len().max(1) {
                let mut next = state.clone();
                if machine.execute(&mut next, thread, wakes).is_ok() {
                    match preempts {
                        true => open.push_back((cost + 1, next, Some(thread))),
                        false => open.push_front((cost, next, Some(thread))),
                    }
                }
            }
            for lane in machine.committable(&state, thread) {
                let mut next = state.clone();
                machine.commit(&mut next, thread, lane).expect("the lane may commit");
                open.push_front((cost, next, running));
            }
        }
    }
    Some(None)
}

#[test]
fn what_is_proven_is_what_the_enumeration_finds() {
    let (mut needed, mut improved) = (0, 0);
    for seed in 0..2 * super::trace_count() {
        for model in MODELS {
            let what = format!("seed {seed} under {}", model.name());
            let trace = super::random::trace(seed, 16);
            let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
            let Some(Some(least)) = least(&problem, 20_000) else { continue };
            let system = System::new(&problem);
            let mut theory = OrderTheory::new(&problem, &system, None);
            let Synthesis::Found { schedule, .. } = synthesize(&problem, &system, &mut [&mut theory]) else {
                panic!("{what}: the order theory finds nothing")
            };
            // From what is known, and from more.
            for known in [schedule.preemptions, schedule.preemptions + 3] {
                let fewest = fewest_preemptions(&problem, known, 1_000_000, &StopToken::default());
                assert_eq!((fewest.at_least, fewest.cut), (least, None), "{what}");
                assert_eq!(fewest.better.is_some(), least < known, "{what}");
                if let Some(better) = fewest.better {
                    let again = validate(&problem, &better.moves, &better.inputs).expect("an execution");
                    assert_eq!(again.preemptions, least, "{what}");
                    improved += 1;
                }
            }
            let Synthesis::Found { schedule, at_least, .. } =
                synthesize_by_all(&problem, &SynthesisLimits::default())
            else {
                panic!("{what}: all engines find nothing")
            };
            assert_eq!((schedule.preemptions, at_least), (least, least), "{what}");
            needed += usize::from(least > 0);
        }
    }
    assert!(needed > 10 && improved > 10, "{needed} {improved}");
}

#[test]
fn what_there_is_no_time_for_is_not_proven() {
    let trace = super::families::lost(4, 200, 8, 10, 0);
    let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
    let fewest = fewest_preemptions(&problem, 40, 500, &StopToken::default());
    assert_eq!(fewest.cut, Some(Unknown::StepLimit));
    let stopped = StopToken::when(|| Some(StopReason::Interrupted));
    let fewest = fewest_preemptions(&problem, 40, 1_000_000, &stopped);
    assert_eq!((fewest.at_least, fewest.cut), (0, Some(Unknown::Stopped(StopReason::Interrupted))));
    // Nothing has fewer than none.
    assert_eq!(fewest_preemptions(&problem, 0, 0, &stopped).cut, None);
}
