//! Root causes: they suffice, and nothing in them can be left out.

use crate::random;
use std::sync::Arc;
use symx_checkers::synthesis::{
    Answer, Clocks, Engine, EventId, Literal, OrderTheory, Problem, Schedule, Synthesis, System, synthesize,
};
use symx_checkers::{CauseLimits, NoRootCause, avoiding, cause_by_scope, root_cause};
use symx_expr::solver::Z3Options;
use symx_expr::{StopToken, Terms};
use symx_memmodel::{MODELS, SequentialConsistency};
use symx_trace::symbolic::{AccessOrdering, ObjectKind, ObjectName, Operation, ThreadRef, TraceBuilder};
use symx_trace::{Failure, FailureKind, ThreadName};

fn failing(problem: &Problem) -> Option<Schedule> {
    let system = System::new(problem);
    match synthesize(problem, &system, &mut [&mut OrderTheory::new(problem, &system, None)]) {
        Synthesis::Found { schedule, .. } => Some(schedule),
        _ => None,
    }
}

fn limits() -> CauseLimits {
    CauseLimits { most_literals: u64::MAX, most_conflicts: 100_000, stop: StopToken::default() }
}

/// A length is read in one critical section and compared in a second one, in which it fails. The second one
/// never ends there, but that does not make the other thread's section certain to come before it.
#[test]
fn a_lock_held_where_it_fails_excludes_nothing() {
    let terms = Arc::new(Terms::new());
    let mut builder = TraceBuilder::new(&terms);
    let mutex = builder.object(ObjectName::Global("mutex".into()), ObjectKind::Mutex, "mutex");
    let count = builder.variable("count", 4);
    let eraser = builder.thread(ThreadName::main().child(1));
    let main = ThreadRef(0);
    builder.event(main, Operation::Create(eraser));
    builder.event(eraser, Operation::Begin);
    builder.event(eraser, Operation::Lock(mutex));
    builder.write(eraser, count, AccessOrdering::NotAtomic, terms.constant(32, 0));
    builder.event(eraser, Operation::Unlock(mutex));
    builder.event(eraser, Operation::End);
    builder.initial(count, terms.constant(32, 3));
    builder.event(main, Operation::Lock(mutex));
    let length = builder.read(main, count, AccessOrdering::NotAtomic);
    builder.event(main, Operation::Unlock(mutex));
    builder.event(main, Operation::Lock(mutex));
    let now = builder.read(main, count, AccessOrdering::NotAtomic);
    let bug = terms.not(terms.equal(now, length));
    let failure = Failure::new(FailureKind::Assert, "assertion failed");
    let trace = builder.finish(bug, Some(failure));
    let problem = Problem::new(terms, trace, &SequentialConsistency).expect("a trace that is right");
    let schedule = failing(&problem).expect("the other thread can come in between");
    let cause = root_cause(&problem, &schedule, &limits(), &[]).expect("there is a cause");
    let threads =
        |(one, other): &(EventId, EventId)| (problem.position(*one).thread, problem.position(*other).thread);
    let mut orders: Vec<(usize, usize)> = cause.orders.iter().map(threads).collect();
    orders.sort_unstable();
    assert_eq!(orders, [(0, 1), (1, 0)], "{cause:?}");
    assert!(cause.is_minimal);
}

#[test]
fn a_lost_update_comes_of_two_orders() {
    let terms = Arc::new(Terms::new());
    let mut builder = TraceBuilder::new(&terms);
    let counter = builder.variable("counter", 4);
    let threads = [1, 2].map(|number| builder.thread(ThreadName::main().child(number)));
    for thread in threads {
        builder.event(ThreadRef(0), Operation::Create(thread));
        builder.event(thread, Operation::Begin);
        let old = builder.read(thread, counter, AccessOrdering::NotAtomic);
        builder.write(thread, counter, AccessOrdering::NotAtomic, terms.add(old, terms.constant(32, 1)));
        builder.event(thread, Operation::End);
    }
    for thread in threads {
        builder.event(ThreadRef(0), Operation::Join(thread));
    }
    let result = builder.read(ThreadRef(0), counter, AccessOrdering::NotAtomic);
    let bug = terms.not(terms.equal(result, terms.constant(32, 2)));
    let trace = builder.finish(bug, None);
    let problem = Problem::new(terms, trace, &SequentialConsistency).expect("a trace that is right");
    let schedule = failing(&problem).expect("an update can be lost");
    assert!(schedule.preemptions <= 2, "one would do");
    let cause = root_cause(&problem, &schedule, &limits(), &[]).expect("there is a cause");
    let mut what: Vec<(usize, usize, usize, usize)> = cause
        .orders
        .iter()
        .map(|(earlier, later)| (problem.position(*earlier), problem.position(*later)))
        .map(|(earlier, later)| (earlier.thread, earlier.index, later.thread, later.index))
        .collect();
    what.sort_unstable();
    // Events 1 and 2 of a thread read and write. Which writes first could be expressed by either write or
    // read of the other.
    let overtaken = [(1, 1, 2, 2), (2, 1, 1, 2)];
    assert!(what.len() == 2 && what.iter().any(|order| overtaken.contains(order)), "{what:?}");
}

#[test]
fn causes_among_what_the_bug_depends_on_suffice() {
    let (mut causes, mut orders) = (0, 0);
    for seed in 0..60 {
        for model in MODELS {
            let trace = random::trace(seed, 30);
            let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
            let Some(schedule) = failing(&problem) else { continue };
            let Ok(system) = avoiding(&problem, &schedule) else { continue };
            let Some(cause) = cause_by_scope(&problem, &schedule, &limits()) else {
                panic!("seed {seed} under {}: the whole is a scope, too", model.name());
            };
            let literals: Vec<Literal> =
                cause.orders.iter().map(|(earlier, later)| Literal::before(*earlier, *later)).collect();
            let mut z3 = Clocks::new(&problem, &system, Z3Options::default());
            assert!(matches!(z3.solve(&literals), Answer::Core(_)), "seed {seed} under {}", model.name());
            causes += 1;
            orders += literals.len();
        }
    }
    println!("{causes} causes, {orders} orders");
    assert!(causes > 15 && orders > 15);
}

#[test]
fn causes_of_random_failures_are_minimal() {
    let (mut causes, mut unavoidable, mut orders) = (0, 0, 0);
    for seed in 0..60 {
        for model in MODELS {
            let trace = random::trace(seed, 30);
            let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
            let Some(schedule) = failing(&problem) else { continue };
            let system = match avoiding(&problem, &schedule) {
                Ok(system) => system,
                Err(reason) => {
                    assert_eq!(reason, NoRootCause::NoCondition);
                    continue;
                }
            };
            let what = format!("seed {seed} under {}", model.name());
            let cause = root_cause(&problem, &schedule, &limits(), &[]);
            let cause = cause.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(cause.is_minimal, "{what}");
            let literals: Vec<Literal> = cause
                .orders
                .iter()
                .map(|(earlier, later): &(EventId, EventId)| Literal::before(*earlier, *later))
                .collect();
            let mut z3 = Clocks::new(&problem, &system, Z3Options::default());
            assert!(matches!(z3.solve(&literals), Answer::Core(_)), "{what}: the cause does not suffice");
            for left_out in 0..literals.len() {
                let mut rest = literals.clone();
                rest.remove(left_out);
                assert!(matches!(z3.solve(&rest), Answer::Model(_)), "{what}: an order can be left out");
            }
            causes += 1;
            unavoidable += usize::from(literals.is_empty());
            orders += literals.len();
        }
    }
    println!("{causes} causes, {unavoidable} unavoidable, {orders} orders");
    assert!(causes > 15 && unavoidable < causes);
}
