//! Closest passing executions: they do not fail, and none changes fewer data flows.

use fastrand::Rng;
use std::collections::HashMap;
use std::sync::Arc;
use symx_checkers::passing::{NoPassingExecution, nearest};
use symx_checkers::synthesis::{
    EventId, Machine, OrderTheory, Problem, Schedule, State, Synthesis, System, synthesize, validate,
};
use symx_checkers::{avoiding, avoiding_within};
use symx_expr::{StopToken, Terms};
use symx_memmodel::SequentialConsistency;
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ObjectKind, ObjectName, Operation, SymbolicTrace, ThreadRef, TraceBuilder,
};

/// Steps of an enumeration; a trace that takes more is left out.
const MOST_STEPS: u64 = 300_000;

const PLAIN: AccessOrdering = AccessOrdering::NotAtomic;

fn failing(problem: &Problem) -> Option<Schedule> {
    let system = System::new(problem);
    match synthesize(problem, &system, &mut [&mut OrderTheory::new(problem, &system, None)]) {
        Synthesis::Found { schedule, .. } => Some(schedule),
        _ => None,
    }
}

/// Reads that get their value from another write than in the failing schedule: all threads' accesses
/// are to whole variables.
type Flows = HashMap<EventId, Option<EventId>>;

fn flows(problem: &Problem, order: &[EventId]) -> Flows {
    let mut last = HashMap::new();
    let mut flows = HashMap::new();
    for event in order {
        let operation = problem.operation(*event);
        let Some(span) = operation.span() else { continue };
        if operation.symbol().is_some() {
            flows.insert(*event, last.get(&span.object).copied());
        }
        if operation.written().is_some() {
            last.insert(span.object, *event);
        }
    }
    flows
}

/// The fewest flows that an execution changes that does not fail, by looking at all;
/// `None` for "no execution".
struct Enumeration<'p> {
    problem: &'p Problem,
    machine: Machine<'p>,
    failing: Flows,
    steps: u64,
    fewest: Option<usize>,
}

impl Enumeration<'_> {
    fn walk(&mut self, state: &State, order: &mut Vec<EventId>) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return;
        }
        if self.machine.is_over(state) {
            if !self.machine.shows_bug(state) {
                let now = flows(self.problem, order);
                let changed =
                    now.iter().filter(|(read, write)| self.failing.get(read) != Some(write)).count();
                self.fewest = Some(self.fewest.map_or(changed, |fewest| fewest.min(changed)));
            }
            return;
        }
        // When threads come and go is all the same.
        let is_alike = |thread: &usize| {
            let operation = self.machine.next(state, *thread).map(|event| self.problem.operation(event));
            matches!(operation, Some(Operation::Create(_) | Operation::Begin | Operation::End))
                && self.machine.is_enabled(state, *thread)
        };
        let threads = 0..self.problem.thread_count();
        let first = threads.clone().find(is_alike);
        for thread in first.map_or(threads, |thread| thread..thread + 1) {
            for woken in 0..self.machine.sleepers(state, thread).len().max(1) {
                let mut next = state.clone();
                if let Ok((event, _)) = self.machine.execute(&mut next, thread, woken) {
                    order.push(event);
                    self.walk(&next, order);
                    order.pop();
                }
            }
        }
    }
}

/// The published example (MaxSMT, AAAI 2019, Fig. 1): two data flows have to change at once. `x` is to stay
/// 0; each of two threads adds what another one may have spoilt.
fn two_flows_at_once(terms: &Terms) -> SymbolicTrace {
    let mut builder = TraceBuilder::new(terms);
    let (x, y, z) = (builder.variable("x", 4), builder.variable("y", 4), builder.variable("z", 4));
    builder.initial(y, terms.constant(32, u64::from(u32::MAX)));
    builder.initial(z, terms.constant(32, 1));
    let threads: Vec<ThreadRef> =
        (1..=4).map(|number| builder.thread(ThreadName::main().child(number))).collect();
    for thread in &threads {
        builder.event(ThreadRef(0), Operation::Create(*thread));
        builder.event(*thread, Operation::Begin);
    }
    for (thread, source) in [(threads[0], y), (threads[1], z)] {
        let old = builder.read(thread, x, PLAIN);
        let term = builder.read(thread, source, PLAIN);
        builder.write(thread, x, PLAIN, terms.add(old, term));
    }
    for (thread, target, by) in [(threads[2], y, 1), (threads[3], z, 1)] {
        let old = builder.read(thread, target, PLAIN);
        builder.write(thread, target, PLAIN, terms.add(old, terms.constant(32, by)));
    }
    for thread in threads {
        builder.event(thread, Operation::End);
        builder.event(ThreadRef(0), Operation::Join(thread));
    }
    let result = builder.read(ThreadRef(0), x, PLAIN);
    builder.finish(terms.not(terms.equal(result, terms.constant(32, 0))), None)
}

#[test]
fn a_passing_execution_may_need_two_flows_changed_at_once() {
    let terms = Arc::new(Terms::new());
    let trace = two_flows_at_once(&terms);
    let problem = Problem::new(terms, trace, &SequentialConsistency).expect("a trace that is right");
    let schedule = failing(&problem).expect("it can fail");
    let system = avoiding(&problem, &schedule).expect("the bug is a condition");
    let mut engine = OrderTheory::new(&problem, &system, None);
    let found = nearest(&problem, &schedule, &system, &mut engine, &StopToken::default())
        .expect("there is a passing execution");
    assert!(found.has_fewest_flows && found.has_fewest_segments, "{found:?}");
    assert!(validate(&problem, &found.schedule.moves, &found.schedule.inputs).is_err());
}

/// Three threads that read and write two variables, now and then under a lock. The bug is the value of one
/// read in one random execution, or a sum of two.
fn racing(terms: &Terms, seed: u64) -> SymbolicTrace {
    let mut random = Rng::with_seed(seed);
    let mut builder = TraceBuilder::new(terms);
    let variables = [builder.variable("v0", 4), builder.variable("v1", 4)];
    let lock = ObjectName::Global("lock".into());
    let lock = builder.object(lock, ObjectKind::Mutex, "lock");
    let mut reads = Vec::new();
    for number in 1..=3 {
        let thread = builder.thread(ThreadName::main().child(number));
        builder.event(ThreadRef(0), Operation::Create(thread));
        builder.event(thread, Operation::Begin);
        let is_locked = random.bool();
        if is_locked {
            builder.event(thread, Operation::Lock(lock));
        }
        for _ in 0..random.usize(1..=2) {
            let span = variables[random.usize(..2)];
            let read = builder.read(thread, span, PLAIN);
            reads.push(read);
            let span = variables[random.usize(..2)];
            builder.write(thread, span, PLAIN, terms.add(read, terms.constant(32, random.u64(1..4))));
        }
        if is_locked {
            builder.event(thread, Operation::Unlock(lock));
        }
        builder.event(thread, Operation::End);
    }
    let picked = [0, 1].map(|_| reads[random.usize(..reads.len())]);
    let sum = terms.add(picked[0], picked[1]);
    builder.finish(terms.unsigned_less(terms.constant(32, random.u64(1..5)), sum), None)
}

#[test]
fn no_passing_execution_of_random_failures_is_nearer() {
    let (mut compared, mut unavoidable, mut proven, mut several) = (0, 0, 0, 0);
    for seed in 0..150 {
        let terms = Arc::new(Terms::new());
        let trace = racing(&terms, seed);
        let problem = Problem::new(terms, trace, &SequentialConsistency).expect("a trace that is right");
        let Some(schedule) = failing(&problem) else { continue };
        let system = avoiding(&problem, &schedule).expect("the bug is a condition");
        let mut engine = OrderTheory::new(&problem, &system, None);
        let found = nearest(&problem, &schedule, &system, &mut engine, &StopToken::default());
        let mut all = Enumeration {
            problem: &problem,
            machine: Machine::new(&problem, &schedule.inputs),
            failing: flows(&problem, &schedule.order),
            steps: 0,
            fewest: None,
        };
        let start = all.machine.start();
        all.walk(&start, &mut Vec::new());
        if all.steps > MOST_STEPS {
            continue;
        }
        match (found, all.fewest) {
            (Ok(found), Some(fewest)) => {
                assert_eq!(found.changed_flows, fewest, "seed {seed}");
                assert!(found.has_fewest_flows, "seed {seed}");
                proven += usize::from(found.has_fewest_segments);
                several += usize::from(fewest > 1);
                compared += 1;
            }
            (Err(NoPassingExecution::Unavoidable), None) => unavoidable += 1,
            (found, fewest) => panic!("seed {seed}: {found:?} but {fewest:?}"),
        }
    }
    println!(
        "{compared} compared, {several} of them with several flows, {unavoidable} unavoidable, {proven} with the fewest segments"
    );
    assert!(compared > 30 && several > 3 && unavoidable > 3);
}

#[test]
fn within_a_window_the_rest_keeps_its_order() {
    const WINDOW: usize = 8;
    let mut found_some = 0;
    for seed in 0..60 {
        let terms = Arc::new(Terms::new());
        let trace = racing(&terms, seed);
        let problem = Problem::new(terms, trace, &SequentialConsistency).expect("a trace that is right");
        let Some(schedule) = failing(&problem) else { continue };
        let system = avoiding_within(&problem, &schedule, WINDOW).expect("the bug is a condition");
        let mut engine = OrderTheory::new(&problem, &system, None);
        let Ok(found) = nearest(&problem, &schedule, &system, &mut engine, &StopToken::default()) else {
            continue;
        };
        let fixed = schedule.order.len() - WINDOW;
        assert_eq!(found.schedule.order[..fixed], schedule.order[..fixed], "seed {seed}");
        found_some += 1;
    }
    assert!(found_some > 5, "only {found_some}");
}
