//! Random programs of several threads: both reductions find the outcomes and failures that all schedules
//! have, and so does the exchange of identical threads.
//!
//! `SYMX_THREADS_PROGRAMS` and `SYMX_THREADS_SEED` say how many programs and from which seed on
//! (`./x threads` sets them).

#[path = "../explored/mod.rs"]
mod explored;
mod module;
mod program;
mod races;

use explored::{Explored, Limits};
use module::{Loops, module};
use program::{Likeness, Program, program};
use std::collections::BTreeSet;
use std::fmt::Write;
use symx_bitcode_corpus::number;
use symx_ir::Module;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{Beyond, Exploration, ExploreOptions, Outcome, Reduction, ScheduleBound};
use symx_trace::{FailureDetail, FailureKind, IncompleteReason};

/// How many programs a test explores by default.
const PROGRAMS: u64 = 20;

/// How many programs share a module, so that libc is linked once for all of them.
const BATCH: usize = 100;

/// Programs with more executions than this are left out: all schedules one by one, and with a reduction.
const MOST_SCHEDULES: u64 = 500;
const MOST_EXECUTIONS: u64 = 4_000;

/// As many, in place of which the graph of states is explored.
const MOST_BY_STATES: u64 = 500;

/// Steps after which nothing more is expected of a program with loops.
const MOST_STEPS: u64 = 5_000;

/// Instructions after which any program is left out.
const MOST_INSTRUCTIONS: u64 = 4_000_000;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

#[test]
fn reductions_lose_nothing() {
    find_disagreement(program, PROGRAMS);
}

/// Programs of identical threads: neither does the exchange of such threads.
#[test]
fn exchanges_lose_nothing() {
    find_disagreement(program::alike, PROGRAMS);
}

/// Programs with atomic sections: others are held back, and all that is possible beside them is found.
#[test]
fn sections_lose_nothing() {
    find_disagreement(program::with_sections, PROGRAMS / 4);
}

/// Programs that sleep at futexes: each look at the word, and which thread is woken when, makes its
/// difference.
#[test]
fn futexes_lose_nothing() {
    find_disagreement(program::with_futexes, PROGRAMS / 4);
}

/// Programs with loops that end after some rounds: looks are left out only where that is not observable.
#[test]
fn looks_lose_nothing() {
    find_disagreement(program::with_looks, PROGRAMS / 2);
}

/// Programs that count shares: where orders of updates count as one, no comparison tells them apart.
#[test]
fn shares_lose_nothing() {
    find_disagreement(program::with_shares, PROGRAMS);
}

/// Programs in which a thread that was alone creates others again.
#[test]
fn rounds_lose_nothing() {
    find_disagreement(program::with_rounds, PROGRAMS);
}

fn find_disagreement(program: fn(u64) -> Program, count: u64) {
    let library = explored::library();
    let first = number("SYMX_THREADS_SEED").unwrap_or(0);
    let count = number("SYMX_THREADS_PROGRAMS").unwrap_or(count);
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut total = Counts::default();
    for seeds in seeds.chunks(BATCH) {
        let programs: Vec<Program> = seeds.iter().map(|seed| program(*seed)).collect();
        let both = Both::new(&library, &programs);
        for (index, (program, seed)) in programs.iter().zip(seeds).enumerate() {
            match both.disagreement(index, program) {
                Ok(counts) => total.add(&counts),
                Err(why) => {
                    println!("seed {seed}:\n{program}{why}");
                    let still = |program: &Program| {
                        Both::new(&library, std::slice::from_ref(program)).disagreement(0, program).err()
                    };
                    let smallest = program.shrunk(|program| still(program).is_some());
                    let now = still(&smallest).unwrap_or_default();
                    panic!("seed {seed}:\n{program}{why}\nshrunk:\n{smallest}{now}");
                }
            }
        }
    }
    println!("{count} programs, {total:?}");
}

/// Counts of explorations.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Program and model.
    explorations: u64,
    /// Of which all schedules were listed.
    listed: u64,
    schedules: u64,
    source_sets: u64,
    states: u64,
    reads_from: u64,
    /// With identical threads exchanged for each other.
    exchanged: u64,
    /// Programs that the reads-from walk left to source sets, by reason.
    beyond: std::collections::BTreeMap<String, u64>,
    too_large: u64,
    endless: u64,
    failures: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.explorations += other.explorations;
        self.listed += other.listed;
        self.schedules += other.schedules;
        self.source_sets += other.source_sets;
        self.states += other.states;
        self.reads_from += other.reads_from;
        self.exchanged += other.exchanged;
        self.too_large += other.too_large;
        self.endless += other.endless;
        self.failures += other.failures;
        for (why, count) in &other.beyond {
            *self.beyond.entry(why.clone()).or_default() += count;
        }
    }
}

/// Programs whose loops are whole, and the same with only the last rounds of their loops.
struct Both {
    whole: Explored,
    last_rounds: Explored,
}

/// The externally observable results.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    outcomes: BTreeSet<Outcome>,
    failures: BTreeSet<(FailureKind, String, String, u32)>,
}

impl Seen {
    fn of(exploration: &Exploration, program: &Program) -> Self {
        let (spins, are_alike) = (program.spins(), program.likeness != Likeness::Different);
        let failures = exploration.failures.iter().map(|found| &found.failure);
        // Where only the last round of a loop is taken, no thread waits in it.
        let waits = [FailureKind::Deadlock, FailureKind::Livelock];
        let failures = failures.filter(|failure| !spins || !waits.contains(&failure.kind));
        let place = |failure: &symx_trace::Failure| {
            let place = &failure.location;
            match failure.detail {
                // Whether a thread waits already where an object is destroyed, or comes later, is no step.
                FailureDetail::DestroyWaited | FailureDetail::UseAfterDestroy => {
                    (failure.kind, "destroyed".into(), String::new(), 0)
                }
                // Which of several identical threads it was makes no difference.
                detail
                    if are_alike
                        && (failure.kind == FailureKind::Deadlock
                            || detail == FailureDetail::ExitHoldingLock) =>
                {
                    (failure.kind, String::new(), String::new(), 0)
                }
                detail => (failure.kind, detail.word().into(), place.function.clone(), place.line),
            }
        };
        Self {
            outcomes: exploration.outcomes.keys().cloned().collect(),
            failures: failures.map(place).collect(),
        }
    }

    /// How another exploration differs; empty if it does not.
    fn difference(&self, name: &str, other: &Self) -> String {
        let mut text = String::new();
        let mut list = |what: &str, items: Vec<String>| {
            if !items.is_empty() {
                let _ = writeln!(text, "{name} {what}: {}", items.join(", "));
            }
        };
        list("misses", self.outcomes.difference(&other.outcomes).map(|one| format!("{one:?}")).collect());
        list("adds", other.outcomes.difference(&self.outcomes).map(|one| format!("{one:?}")).collect());
        list("misses", self.failures.difference(&other.failures).map(|one| format!("{one:?}")).collect());
        list("adds", other.failures.difference(&self.failures).map(|one| format!("{one:?}")).collect());
        text
    }
}

impl Both {
    fn new(library: &Module, programs: &[Program]) -> Self {
        let explored = |loops| Explored::new(library, &module(programs, loops));
        Self { whole: explored(Loops::Whole), last_rounds: explored(Loops::LastRound) }
    }

    /// How the findings of the reductions differ from those of all schedules, under any model.
    fn disagreement(&self, index: usize, program: &Program) -> Result<Counts, String> {
        let mut counts = Counts::default();
        for name in MODELS {
            let model = symx_memmodel::by_name(name).expect("a model");
            self.under(index, program, model, &mut counts).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok(counts)
    }

    fn under(
        &self,
        index: usize,
        program: &Program,
        model: &'static dyn MemoryModel,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let spins = program.spins();
        let symmetry = program.likeness != Likeness::Different;
        let explore = |explored: &Explored, reduction, preemptions: Option<u32>, most, steps| {
            let options = ExploreOptions {
                reduction,
                symmetry,
                bound: preemptions.map(ScheduleBound::Preemptions),
                max_executions: Some(most),
                keep_going: true,
                ..ExploreOptions::default()
            };
            explored.explore(index, model, &options, Limits { steps, instructions: MOST_INSTRUCTIONS })
        };
        counts.explorations += 1;
        let source_sets = explore(&self.last_rounds, Reduction::SourceSets, None, MOST_EXECUTIONS, u64::MAX);
        if is_large(&source_sets) {
            counts.too_large += 1;
            return Ok(());
        }
        // Without a bound that matters, every schedule is tried.
        let all = explore(&self.last_rounds, Reduction::SourceSets, Some(u32::MAX), MOST_SCHEDULES, u64::MAX);
        let expected = if is_large(&all) { &source_sets } else { &all };
        counts.listed += u64::from(!is_large(&all));
        counts.schedules += all.progress.executions;
        counts.source_sets += source_sets.progress.executions;
        let expected = Seen::of(expected, program);
        counts.failures += expected.failures.len() as u64;
        let mut why = expected.difference("the walk with source sets", &Seen::of(&source_sets, program));
        let states = explore(&self.last_rounds, Reduction::States, None, MOST_BY_STATES, u64::MAX);
        if states.progress.states > 0 && !is_large(&states) {
            counts.states += states.progress.states;
            why += &expected.difference("the graph of states", &Seen::of(&states, program));
        }
        let steps = if spins { MOST_STEPS } else { u64::MAX };
        let reads_from = explore(&self.whole, Reduction::ReadsFrom, None, MOST_EXECUTIONS, steps);
        counts.reads_from += reads_from.progress.executions;
        counts.exchanged += reads_from.exchanged;
        if let Some(beyond) = reads_from.beyond {
            if let Beyond::Contradiction(_) = beyond {
                return Err(beyond.to_string());
            }
            *counts.beyond.entry(beyond.to_string()).or_default() += 1;
        }
        let unknown: Vec<_> = reads_from
            .incomplete
            .iter()
            .filter(|cut| !(spins && cut.reason == IncompleteReason::Livelock))
            .collect();
        if is_large(&reads_from) || spins && reads_from.beyond.is_some() {
            // Loops without end are for the walk that knows when a thread waits, and for memory that others
            // touch. Only this walk distinguishes orders in which readers acquire a lock.
            counts.endless += 1;
        } else if unknown.is_empty() {
            let mut seen = Seen::of(&reads_from, program);
            if spins {
                // Beside a loop that never ends threads fail that do not where its last
                // round alone is assumed.
                seen.failures.retain(|failure| expected.failures.contains(failure));
            }
            why += &expected.difference("the walk over reads-from classes", &seen);
        } else {
            why += &format!("the walk over reads-from classes is incomplete: {unknown:?}");
        }
        if why.is_empty() { Ok(()) } else { Err(why) }
    }
}

fn is_large(exploration: &Exploration) -> bool {
    exploration
        .incomplete
        .iter()
        .any(|cut| matches!(cut.reason, IncompleteReason::MaxExecutions | IncompleteReason::MaxSteps))
}
