//! Schedules with fewer preemptions.

use std::sync::Arc;
use symx_checkers::synthesis::{
    Answer, Engine, Forward, Problem, Schedule, steps_of, validate, with_fewer_preemptions,
};
use symx_expr::{Assignment, StopToken, Terms};
use symx_memmodel::MODELS;
use symx_trace::symbolic::{AccessOrdering, Operation, SymbolicTrace, ThreadRef, TraceBuilder};
use symx_trace::{Agent, Move, ThreadId, ThreadName};

fn problem(trace: SymbolicTrace) -> Problem {
    Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right")
}

fn turns(threads: impl IntoIterator<Item = u32>) -> Vec<Move> {
    let agents = threads.into_iter().map(|thread| Agent::Thread(ThreadId(thread)));
    agents.map(|agent| Move { agent, choices: Default::default() }).collect()
}

/// Two threads that each write a place of their own and read what the other wrote last.
#[test]
fn a_schedule_that_changes_threads_at_each_step_needs_one_change() {
    let terms = Terms::new();
    let mut builder = TraceBuilder::new(&terms);
    let (x, y) = (builder.variable("x", 4), builder.variable("y", 4));
    for thread in 1..=2 {
        let created = builder.thread(ThreadName::main().child(thread));
        builder.event(ThreadRef(0), Operation::Create(created));
        builder.event(created, Operation::Begin);
    }
    for value in 1..=8 {
        let value = terms.constant(32, value);
        builder.write(ThreadRef(1), x, AccessOrdering::NotAtomic, value);
        builder.write(ThreadRef(2), y, AccessOrdering::NotAtomic, value);
    }
    let seen = builder.read(ThreadRef(2), x, AccessOrdering::NotAtomic);
    let bug = terms.equal(seen, terms.constant(32, 8));
    let problem = problem(builder.finish(bug, None));
    let alternating = turns([0, 0].into_iter().chain((0..9).flat_map(|_| [1, 2])).chain([2]));
    let many = validate(&problem, &alternating, &Assignment::new()).expect("an execution");
    assert!(many.preemptions > 10, "{many:?}");
    let few = with_fewer_preemptions(&problem, &[], many, 10_000, &StopToken::default());
    assert_eq!(few.preemptions, 0, "{few:?}");
    assert!(validate(&problem, &few.moves, &few.inputs).is_ok());
}

/// The result is an execution that shows the bug, with no more preemptions.
#[test]
fn fewer_preemptions_are_those_of_an_execution() {
    let mut fewer = 0;
    for seed in 0..200 {
        for model in MODELS {
            let trace = super::random::trace(seed, 40);
            let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
            let Answer::Model(found) = Forward::new(&problem, 20_000).solve(&[]) else { continue };
            let given = validate(&problem, &found.moves.unwrap_or_default(), &found.inputs).expect("found");
            let same = with_fewer_preemptions(&problem, &[], given.clone(), 0, &StopToken::default());
            let few = with_fewer_preemptions(&problem, &[], given.clone(), 20_000, &StopToken::default());
            let cost = |schedule: &Schedule| (schedule.preemptions, schedule.context_switches);
            assert!(cost(&few) <= cost(&given) && cost(&same) <= cost(&given), "seed {seed}");
            let again = validate(&problem, &few.moves, &few.inputs).expect("an execution");
            assert_eq!(cost(&again), cost(&few), "seed {seed}");
            assert!(steps_of(&problem, &few).is_ok(), "seed {seed}");
            fewer += usize::from(few.preemptions < given.preemptions);
        }
    }
    assert!(fewer > 20, "{fewer}");
}
