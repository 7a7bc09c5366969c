//! Families of traces that grow: lost updates, exact results of racing hashes, and locked
//! counters that never fail.

use fastrand::Rng;
use std::sync::Arc;
use symx_checkers::synthesis::{Machine, Problem};
use symx_expr::{Assignment, Term, Terms};
use symx_memmodel::SequentialConsistency;
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, ObjectKind, ObjectName, ObjectRef, Operation, SymbolicTrace, ThreadRef,
    TraceBuilder,
};

/// How many threads besides main the families of the table have.
const THREADS: usize = 4;
const PLAIN: AccessOrdering = AccessOrdering::NotAtomic;

struct Family<'a> {
    builder: TraceBuilder<'a>,
    variables: Vec<ByteSpan>,
    locks: Vec<ObjectRef>,
    random: Rng,
    threads: usize,
}

impl<'a> Family<'a> {
    fn new(terms: &'a Terms, threads: usize, variables: usize, seed: u64) -> Self {
        let mut builder = TraceBuilder::new(terms);
        let spans = (0..variables).map(|number| builder.variable(&format!("v{number}"), 4)).collect();
        let lock = |number| ObjectName::Allocated { thread: ThreadName::main(), number };
        let locks = (0..variables as u32)
            .map(|number| builder.object(lock(number), ObjectKind::Mutex, &format!("lock of v{number}")))
            .collect();
        for thread in 1..=threads {
            let created = builder.thread(ThreadName::main().child(thread as u32));
            builder.event(ThreadRef(0), Operation::Create(created));
            builder.event(created, Operation::Begin);
        }
        Self { builder, variables: spans, locks, random: Rng::with_seed(seed), threads }
    }

    /// Joins all; returns what main then reads.
    fn results(&mut self) -> Vec<Term> {
        for thread in 1..=self.threads {
            self.builder.event(ThreadRef(thread as u32), Operation::End);
            self.builder.event(ThreadRef(0), Operation::Join(ThreadRef(thread as u32)));
        }
        let builder = &mut self.builder;
        self.variables.iter().map(|span| builder.read(ThreadRef(0), *span, PLAIN)).collect()
    }
}

/// Counters incremented under their locks, of a hundred increments `bare` without; the bug is
/// that some are lost.
pub fn lost(threads: usize, accesses: usize, variables: usize, bare: u32, seed: u64) -> SymbolicTrace {
    let terms = Terms::new();
    let mut family = Family::new(&terms, threads, variables, seed);
    let mut counts = vec![0; variables];
    for increment in 0..accesses / 2 {
        let thread = ThreadRef((increment % threads) as u32 + 1);
        let variable = family.random.usize(..variables);
        let (span, lock) = (family.variables[variable], family.locks[variable]);
        let is_bare = family.random.u32(..100) < bare;
        counts[variable] += 1;
        if !is_bare {
            family.builder.event(thread, Operation::Lock(lock));
        }
        let old = family.builder.read(thread, span, PLAIN);
        family.builder.write(thread, span, PLAIN, terms.add(old, terms.constant(32, 1)));
        if !is_bare {
            family.builder.event(thread, Operation::Unlock(lock));
        }
    }
    let results = family.results();
    let wrong = results
        .iter()
        .zip(counts)
        .map(|(result, count)| terms.not(terms.equal(*result, terms.constant(32, count))));
    let bug = terms.any(wrong);
    family.builder.finish(bug, None)
}

/// Threads that mix the values they read into those they write. The bug is the exact memory that one
/// execution leaves, in which threads change at each step with a chance of `change` in a thousand.
pub fn racey(accesses: usize, variables: usize, change: u32, seed: u64) -> SymbolicTrace {
    let bare = racey_ending(accesses, variables, seed, None);
    let mut random = Rng::with_seed(seed ^ 0xface);
    let problem =
        Problem::new(Arc::new(Terms::new()), bare, &SequentialConsistency).expect("a trace that is right");
    let machine = Machine::new(&problem, &Assignment::new());
    let mut state = machine.start();
    let mut running = 0;
    while !machine.is_over(&state) {
        let enabled: Vec<usize> =
            (0..problem.thread_count()).filter(|thread| machine.is_enabled(&state, *thread)).collect();
        if !enabled.contains(&running) || random.u32(..1000) < change {
            running = enabled[random.usize(..enabled.len())];
        }
        machine.execute(&mut state, running, 0).expect("the thread is enabled");
    }
    let values = machine.values(&state);
    let events: Vec<_> = problem.events_of(0).collect();
    let last = events[events.len() - variables..].iter();
    let results = last.map(|event| {
        let symbol = problem.operation(*event).symbol().expect("the last events read");
        values.get(problem.term(symbol)).and_then(|value| value.to_u64()).expect("they were executed")
    });
    racey_ending(accesses, variables, seed, Some(&results.collect::<Vec<_>>()))
}

fn racey_ending(accesses: usize, variables: usize, seed: u64, results: Option<&[u64]>) -> SymbolicTrace {
    let terms = Terms::new();
    let mut family = Family::new(&terms, THREADS, variables, seed);
    for step in 0..accesses / 3 {
        let thread = ThreadRef((step % THREADS) as u32 + 1);
        let one = family.variables[family.random.usize(..variables)];
        let other = family.variables[family.random.usize(..variables)];
        let a = family.builder.read(thread, one, PLAIN);
        let b = family.builder.read(thread, other, PLAIN);
        let shifted = terms.xor(terms.shift_left(a, terms.constant(32, 5)), b);
        let mixed = terms.add(shifted, terms.constant(32, family.random.u64(..1 << 32)));
        family.builder.write(thread, one, PLAIN, mixed);
    }
    let read = family.results();
    let pairs = read.into_iter().zip(results.unwrap_or_default());
    let exact: Vec<Term> = pairs.map(|(read, value)| terms.equal(read, terms.constant(32, *value))).collect();
    let bug = terms.all(exact);
    family.builder.finish(bug, None)
}

/// Rows of the table: a name and a trace.
pub fn table() -> Vec<(String, SymbolicTrace)> {
    let mut rows = Vec::new();
    for (accesses, variables) in [(100, 4), (200, 4), (300, 16), (1000, 32), (3000, 64)] {
        rows.push((format!("lost {accesses} v{variables}"), lost(THREADS, accesses, variables, 10, 1)));
    }
    for (accesses, variables) in [(100, 4), (1000, 128)] {
        rows.push((format!("racey {accesses} v{variables}"), racey(accesses, variables, 200, 1)));
    }
    for (accesses, variables) in [(300, 64), (1000, 4)] {
        rows.push((format!("raceylo {accesses} v{variables}"), racey(accesses, variables, 5, 1)));
    }
    for (accesses, variables) in [(100, 4), (200, 4)] {
        rows.push((format!("unsat {accesses} v{variables}"), lost(THREADS, accesses, variables, 0, 1)));
    }
    rows
}
