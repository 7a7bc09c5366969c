//! Causes of deadlocks: under them no thread gets past the operation it waits in, in any execution; without
//! one of them, some thread does. Both are checked against the enumeration of all beginnings of executions.

use crate::random;
use fastrand::Rng;
use std::collections::HashSet;
use std::sync::Arc;
use symx_checkers::synthesis::{EventId, Machine, Problem, Schedule, State, Unknown, validate};
use symx_checkers::{CauseLimits, DeadlockCause, NoRootCause, cause_by_scope, deadlock_cause};
use symx_expr::{Assignment, StopReason, StopToken, Term, Terms};
use symx_memmodel::{Lane, MODELS, SequentialConsistency};
use symx_trace::symbolic::{
    Condition, ObjectKind, ObjectName, Operation, SymbolicTrace, TermNode, ThreadRef, TraceBuilder,
};
use symx_trace::{Agent, Move, ThreadId, ThreadName};

fn limits() -> CauseLimits {
    CauseLimits { most_literals: 10_000_000, most_conflicts: 1_000_000, stop: StopToken::default() }
}

/// States of one enumeration at most.
const MOST_STATES: usize = 60_000;

/// Whether some execution in which these events come one after the other gets past an operation that a thread
/// waits in. `None` if there are too many states.
fn gets_past(problem: &Problem, goals: &[EventId], orders: &[(EventId, EventId)]) -> Option<bool> {
    let machine = Machine::new(problem, &Assignment::new());
    let start = (machine.start(), vec![false; problem.event_count()]);
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some((state, in_effect)) = open.pop() {
        if seen.len() > MOST_STATES {
            return None;
        }
        let mut reach = |next: State, event: EventId, takes_effect: bool| {
            let mut now = in_effect.clone();
            now[event.index()] |= takes_effect;
            let is_kept = |(one, other): &(EventId, EventId)| now[one.index()] || !now[other.index()];
            if !orders.iter().all(is_kept) {
                return false;
            }
            if seen.insert((next.clone(), now.clone())) {
                open.push((next, now));
            }
            takes_effect && goals.contains(&event)
        };
        for thread in 0..problem.thread_count() {
            for wakes in 0..machine.sleepers(&state, thread).len().max(1) {
                let mut next = state.clone();
                if let Ok((event, takes_effect)) = machine.execute(&mut next, thread, wakes)
                    && reach(next, event, takes_effect)
                {
                    return Some(true);
                }
            }
            for lane in machine.committable(&state, thread) {
                let mut next = state.clone();
                let event = machine.commit(&mut next, thread, lane).expect("the lane may commit");
                if reach(next, event, true) {
                    return Some(true);
                }
            }
        }
    }
    Some(false)
}

/// The events that `cause` has and the failing execution has not.
fn goals(failing: &Problem, cause: &DeadlockCause) -> Vec<EventId> {
    let is_next = |event: &EventId| {
        let position = cause.problem.position(*event);
        position.index == failing.trace.threads[position.thread].events.len()
    };
    cause.problem.events().filter(is_next).collect()
}

/// Holds a cause against the enumeration; whether that was possible.
fn is_held(failing: &Problem, cause: &DeadlockCause, what: &str) -> bool {
    let (goals, orders) = (goals(failing, cause), &cause.cause.orders);
    let Some(past) = gets_past(&cause.problem, &goals, orders) else { return false };
    assert!(!past, "{what}: {orders:?} do not suffice");
    assert!(cause.cause.is_minimal, "{what}: {orders:?}");
    for left_out in 0..orders.len() {
        let mut rest = orders.clone();
        rest.remove(left_out);
        let Some(past) = gets_past(&cause.problem, &goals, &rest) else { return false };
        assert!(past, "{what}: of {orders:?} number {left_out} can be left out");
    }
    true
}

/// A trace and the way one execution of it took.
type Stuck = (SymbolicTrace, Vec<Move>);

/// A random execution of a trace that deadlocks, as the trace of a deadlock.
fn stuck(trace: &SymbolicTrace, model: usize, random: &mut Rng) -> Option<Stuck> {
    let problem =
        Problem::new(Arc::new(Terms::new()), trace.clone(), MODELS[model]).expect("a trace that is right");
    let machine = Machine::new(&problem, &Assignment::new());
    let mut state = machine.start();
    let mut moves = Vec::new();
    if !machine.can_start() {
        return None;
    }
    loop {
        let threads = 0..problem.thread_count();
        let enabled: Vec<usize> =
            threads.clone().filter(|thread| machine.is_enabled(&state, *thread)).collect();
        let lanes: Vec<(usize, Lane)> = threads
            .flat_map(|thread| {
                machine.committable(&state, thread).into_iter().map(move |lane| (thread, lane))
            })
            .collect();
        if enabled.is_empty() && lanes.is_empty() {
            break;
        }
        let choice = random.usize(..enabled.len() + lanes.len());
        let agent = |thread: usize| ThreadId(thread as u32);
        match enabled.get(choice) {
            Some(thread) => {
                let wakes = random.usize(..machine.sleepers(&state, *thread).len().max(1));
                machine.execute(&mut state, *thread, wakes).ok()?;
                moves.push(Move {
                    agent: Agent::Thread(agent(*thread)),
                    choices: [wakes as u32].into_iter().collect(),
                });
            }
            None => {
                let (thread, lane) = lanes[choice - enabled.len()];
                machine.commit(&mut state, thread, lane).ok()?;
                let agent = Agent::Buffer { thread: agent(thread), lane: lane.0 };
                moves.push(Move { agent, choices: Default::default() });
            }
        }
    }
    let mut stuck = trace.clone();
    let mut is_stuck = false;
    for (number, thread) in stuck.threads.iter_mut().enumerate() {
        thread.blocked = None;
        let done = state.executed(number);
        if let Some(next) = thread.events.get(done) {
            if !next.operation.waits() || matches!(next.operation, Operation::WaitElapsed(_)) {
                return None;
            }
            thread.blocked = Some(next.clone());
            is_stuck = true;
        }
        thread.events.truncate(done);
        thread.conditions.retain(|condition| condition.after as usize <= done);
    }
    let always = TermNode::Constant { width: 1, limbs: vec![1] };
    stuck.terms.nodes.push(always);
    stuck.bug.condition = symx_trace::symbolic::TermRef(stuck.terms.nodes.len() as u32 - 1);
    is_stuck.then_some((stuck, moves))
}

#[test]
fn causes_of_random_deadlocks_are_minimal() {
    let (mut held, mut unavoidable, mut orders) = (0, 0, 0);
    for seed in 0..600 {
        let trace = random::trace(seed, 26);
        let mut random = Rng::with_seed(seed ^ 0xdead);
        for (model, named) in MODELS.iter().enumerate() {
            let Some((stuck, moves)) = (0..6).find_map(|_| stuck(&trace, model, &mut random)) else {
                continue;
            };
            let what = format!("seed {seed} under {}", named.name());
            let problem = Problem::new(Arc::new(Terms::new()), stuck, *named).expect("a trace that is right");
            let schedule = validate(&problem, &moves, &Assignment::new())
                .unwrap_or_else(|invalid| panic!("{what}: {invalid}"));
            let cause = match deadlock_cause(&problem, &schedule, &limits()) {
                Ok(cause) => cause,
                Err(NoRootCause::Unknown(_)) => continue,
                Err(why) => panic!("{what}: {why}"),
            };
            if is_held(&problem, &cause, &what) {
                held += 1;
                unavoidable += usize::from(cause.cause.orders.is_empty());
                orders += cause.cause.orders.len();
            }
        }
    }
    println!("{held} causes, {unavoidable} unavoidable, {orders} orders");
    assert!(held > 60 && unavoidable < held && orders > 20, "{held} {unavoidable} {orders}");
}

/// Threads that are created and do these operations; the last one of each, if so marked, is what it waits in.
fn deadlock(build: impl FnOnce(&mut TraceBuilder, [ThreadRef; 2]), moves: &[u32]) -> (Problem, Schedule) {
    let terms = Arc::new(Terms::new());
    let mut builder = TraceBuilder::new(&terms);
    let threads = [1, 2].map(|number| builder.thread(ThreadName::main().child(number)));
    for thread in threads {
        builder.event(ThreadRef(0), Operation::Create(thread));
        builder.event(thread, Operation::Begin);
    }
    build(&mut builder, threads);
    builder.blocked(ThreadRef(0), Operation::Join(threads[0]));
    let trace = builder.finish(Term::TRUE, None);
    let problem =
        Problem::new(Arc::clone(&terms), trace, &SequentialConsistency).expect("a trace that is right");
    let moves: Vec<Move> = moves
        .iter()
        .map(|thread| Move { agent: Agent::Thread(ThreadId(*thread)), choices: Default::default() })
        .collect();
    let schedule = validate(&problem, &moves, &Assignment::new()).expect("it deadlocks");
    (problem, schedule)
}

fn object(builder: &mut TraceBuilder, number: u32, kind: ObjectKind) -> symx_trace::symbolic::ObjectRef {
    builder.object(ObjectName::Allocated { thread: ThreadName::main(), number }, kind, "")
}

/// Two threads take two locks in opposite orders.
fn opposite_orders() -> (Problem, Schedule) {
    let build = |builder: &mut TraceBuilder, [one, other]: [ThreadRef; 2]| {
        let first = object(builder, 0, ObjectKind::Mutex);
        let second = object(builder, 1, ObjectKind::Mutex);
        builder.event(one, Operation::Lock(first));
        builder.blocked(one, Operation::Lock(second));
        builder.event(other, Operation::Lock(second));
        builder.blocked(other, Operation::Lock(first));
    };
    deadlock(build, &[0, 0, 1, 2, 1, 2])
}

/// The orders of a cause, each event as its thread and its number there.
fn reported(cause: &DeadlockCause) -> Vec<((usize, usize), (usize, usize))> {
    let place = |event| (cause.problem.position(event).thread, cause.problem.position(event).index);
    let mut reported: Vec<_> =
        cause.cause.orders.iter().map(|(one, other)| (place(*one), place(*other))).collect();
    reported.sort_unstable();
    reported
}

#[test]
fn locks_in_opposite_orders_are_each_taken_before_the_other_thread_comes() {
    let (problem, schedule) = opposite_orders();
    let cause = deadlock_cause(&problem, &schedule, &limits()).expect("there is a cause");
    assert_eq!(reported(&cause), [((1, 1), (2, 2)), ((2, 1), (1, 2))]);
    assert!(is_held(&problem, &cause, "opposite orders"));
}

#[test]
fn a_wake_up_is_lost_because_it_comes_before_the_wait() {
    let (problem, schedule) = deadlock(
        |builder, [one, other]| {
            let mutex = object(builder, 0, ObjectKind::Mutex);
            let condition = object(builder, 1, ObjectKind::ConditionVariable);
            builder.event(one, Operation::Lock(mutex));
            builder.event(one, Operation::WaitBegin(Condition { condition, mutex }));
            builder.blocked(one, Operation::WaitSignalled(Condition { condition, mutex }));
            builder.event(other, Operation::Signal(condition));
            builder.event(other, Operation::End);
        },
        &[0, 0, 2, 2, 2, 1, 1, 1],
    );
    let cause = deadlock_cause(&problem, &schedule, &limits()).expect("there is a cause");
    assert_eq!(reported(&cause), [((2, 1), (1, 2))], "the signal before the wait begins");
    assert!(is_held(&problem, &cause, "lost wake-up"));
}

#[test]
fn a_thread_that_waits_for_itself_always_does() {
    let (problem, schedule) = deadlock(
        |builder, [one, other]| {
            let mutex = object(builder, 0, ObjectKind::Mutex);
            builder.event(one, Operation::Lock(mutex));
            builder.blocked(one, Operation::Lock(mutex));
            builder.event(other, Operation::End);
        },
        &[0, 0, 1, 2, 1, 2],
    );
    let cause = deadlock_cause(&problem, &schedule, &limits()).expect("there is a cause");
    assert!(cause.cause.orders.is_empty() && cause.cause.is_minimal);
    // Without conditions on values nothing is said of the paths, however long they are.
    assert!(cause_by_scope(&problem, &schedule, &limits()).is_none());
}

#[test]
fn an_engine_that_is_out_of_time_says_so() {
    let (problem, schedule) = opposite_orders();
    let limits = CauseLimits { stop: StopToken::when(|| Some(StopReason::Interrupted)), ..limits() };
    match deadlock_cause(&problem, &schedule, &limits) {
        // A problem solved without search needs no time, but needless orders are not looked for.
        Ok(cause) => assert!(!cause.cause.is_minimal),
        Err(why) => assert_eq!(why, NoRootCause::Unknown(Unknown::Stopped(StopReason::Interrupted))),
    }
}
