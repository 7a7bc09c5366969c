//! A trace as large as the largest without locks in "Concurrency Debugging with Differential Schedule
//! Projections" (PLDI 2015), and of its kind: cache4j in size L. The program is run concretely here, in a
//! random order, until it fails. The result is a trace whose path conditions are those of that run.

use fastrand::Rng;
use symx_expr::{Term, Terms};
use symx_trace::ThreadName;
use symx_trace::symbolic::{AccessOrdering, ByteSpan, Operation, SymbolicTrace, ThreadRef, TraceBuilder};

const PLAIN: AccessOrdering = AccessOrdering::NotAtomic;

/// A variable, by its number.
type Variable = usize;

/// A concrete run that notes what its threads do.
struct Run<'a> {
    terms: &'a Terms,
    builder: TraceBuilder<'a>,
    spans: Vec<ByteSpan>,
    memory: Vec<u64>,
    accesses: usize,
    random: Rng,
}

impl<'a> Run<'a> {
    fn new(terms: &'a Terms, threads: u32, variables: usize, seed: u64) -> Self {
        let mut builder = TraceBuilder::new(terms);
        let spans = (0..variables).map(|number| builder.variable(&format!("v{number}"), 4)).collect();
        for thread in 1..=threads {
            let created = builder.thread(ThreadName::main().child(thread));
            builder.event(ThreadRef(0), Operation::Create(created));
            builder.event(created, Operation::Begin);
        }
        let random = Rng::with_seed(seed);
        Self { terms, builder, spans, memory: vec![0; variables], accesses: 0, random }
    }

    /// The thread that goes on: the running one, but another one with a chance of `change` in a thousand.
    fn next(&mut self, running: u32, threads: std::ops::RangeInclusive<u32>, change: u32) -> u32 {
        if self.random.u32(..1000) < change { self.random.u32(threads) } else { running }
    }

    fn read(&mut self, thread: u32, variable: Variable) -> (Term, u64) {
        self.accesses += 1;
        (self.builder.read(ThreadRef(thread), self.spans[variable], PLAIN), self.memory[variable])
    }

    fn write(&mut self, thread: u32, variable: Variable, term: Term, value: u64) {
        self.accesses += 1;
        self.memory[variable] = value;
        self.builder.write(ThreadRef(thread), self.spans[variable], PLAIN, term);
    }

    fn set(&mut self, thread: u32, variable: Variable, value: u64) {
        let term = self.terms.constant(32, value);
        self.write(thread, variable, term, value);
    }

    fn add(&mut self, thread: u32, variable: Variable, (term, value): (Term, u64), difference: i64) {
        let sum = self.terms.add(term, self.terms.constant(32, difference as u32 as u64));
        self.write(thread, variable, sum, value.wrapping_add_signed(difference));
    }

    /// The thread branches on whether what it read is `value`; whether it is.
    fn is(&mut self, thread: u32, (term, read): (Term, u64), value: u64) -> bool {
        let equal = self.terms.equal(term, self.terms.constant(32, value));
        let holds = read == value;
        self.builder.condition(ThreadRef(thread), if holds { equal } else { self.terms.not(equal) });
        holds
    }

    fn finish(self, bug: Term) -> (SymbolicTrace, usize) {
        (self.builder.finish(bug, None), self.accesses)
    }
}

const USERS: u32 = 3;
const CLEANER: u32 = USERS + 1;
const ENTRIES: usize = 8;
const FULL: u64 = 3;

/// Three threads use a cache without any lock and interrupt a fourth, which cleans it, when they see it
/// asleep. The interrupt may reach it awake. Runs for at least this many accesses. Returns the trace and how
/// many accesses it has.
pub fn unlocked_cache(accesses: usize, change: u32, seed: u64) -> (SymbolicTrace, usize) {
    const SLEEPING: Variable = 0;
    const INTERRUPTED: Variable = 1;
    const ROUNDS: Variable = 2;
    const FIRST_SIZE: Variable = 3;
    const FIRST_HITS: Variable = FIRST_SIZE + ENTRIES;
    const FIRST_ENTRY: Variable = FIRST_HITS + ENTRIES;
    let terms = Terms::new();
    let mut run = Run::new(&terms, CLEANER, FIRST_ENTRY + ENTRIES, seed);
    // A user that saw the cleaner asleep and has not interrupted it yet.
    let mut about_to = [false; CLEANER as usize];
    let mut is_asleep = false;
    let mut user = 1;
    loop {
        // The cleaner sleeps for as long as many uses take.
        user = run.next(user, 1..=USERS, change);
        let thread = if run.random.u32(..30) == 0 { CLEANER } else { user };
        if thread == CLEANER && is_asleep {
            // Until the run is long enough, the threads that saw it asleep reach it asleep.
            if run.accesses < accesses && about_to.contains(&true) {
                continue;
            }
            let interrupted = run.read(CLEANER, INTERRUPTED);
            if !run.is(CLEANER, interrupted, 0) {
                run.set(CLEANER, INTERRUPTED, 0);
            }
            run.set(CLEANER, SLEEPING, 0);
            is_asleep = false;
            for user in (1..=USERS).filter(|user| std::mem::take(&mut about_to[*user as usize])) {
                run.set(user, INTERRUPTED, 1);
            }
            let interrupted = run.read(CLEANER, INTERRUPTED);
            if interrupted.1 != 0 {
                let bug = terms.not(terms.equal(interrupted.0, terms.constant(32, 0)));
                return run.finish(bug);
            }
            run.is(CLEANER, interrupted, 0);
            (0..ENTRIES).for_each(|entry| run.set(CLEANER, FIRST_SIZE + entry, 0));
            let rounds = run.read(CLEANER, ROUNDS);
            run.add(CLEANER, ROUNDS, rounds, 1);
        } else if thread == CLEANER {
            run.set(CLEANER, SLEEPING, 1);
            is_asleep = true;
        } else if std::mem::take(&mut about_to[thread as usize]) {
            run.set(thread, INTERRUPTED, 1);
        } else {
            let entry = run.random.usize(..ENTRIES);
            let key = run.random.u64(1..4);
            let found = run.read(thread, FIRST_ENTRY + entry);
            if run.is(thread, found, key) {
                let hits = run.read(thread, FIRST_HITS + entry);
                run.add(thread, FIRST_HITS + entry, hits, 1);
                continue;
            }
            run.set(thread, FIRST_ENTRY + entry, key);
            // Others may come between what is read of the size and what is written.
            let size = run.read(thread, FIRST_SIZE + entry);
            if run.random.u32(..1000) < change / 4 {
                let other = run.random.u32(1..=USERS);
                if other != thread && !about_to[other as usize] {
                    let lost = run.read(other, FIRST_SIZE + entry);
                    run.add(other, FIRST_SIZE + entry, lost, 1);
                }
            }
            run.add(thread, FIRST_SIZE + entry, size, 1);
            let is_full = terms.unsigned_less(terms.constant(32, FULL), size.0);
            let is_so = FULL < size.1;
            run.builder.condition(ThreadRef(thread), if is_so { is_full } else { terms.not(is_full) });
            if is_so {
                let sleeping = run.read(thread, SLEEPING);
                about_to[thread as usize] = run.is(thread, sleeping, 1);
            }
        }
    }
}
