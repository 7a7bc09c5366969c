//! A program explored in every way there is: all find the same.

use crate::compiled::{Batch, How, Limits};
use crate::counts::Counts;
use crate::program::{Operation, Own, Program, ToThread};
use std::collections::BTreeSet;
use std::fmt::Write;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{
    Beyond, BoundKind, Exploration, ExploreOptions, Outcome, PathOrder, Reduction, SEARCHES, ScheduleBound,
    Search,
};
use symx_trace::{Failure, FailureDetail, FailureKind, IncompleteReason};

/// Programs with more executions than this are left out: all schedules one by one, and with a reduction.
const MOST_SCHEDULES: u64 = 400;
const MOST_EXECUTIONS: u64 = 800;

/// How many executions a random search tries.
const SAMPLES: u64 = 20;

/// A failure as far as it is the same in all executions that count as one.
pub type Fault = (FailureKind, String, String, u32);

/// The externally observable results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    pub outcomes: BTreeSet<Outcome>,
    /// Outcomes that represent several, as unknown numbers are in them. Which example is listed does not
    /// matter; it may be an outcome by itself as well.
    pub examples: BTreeSet<Outcome>,
    pub failures: BTreeSet<Fault>,
}

impl Seen {
    pub fn of(exploration: &Exploration, program: &Program) -> Self {
        let failures = exploration.failures.iter().map(|found| fault(&found.failure, program));
        Self {
            outcomes: exploration.outcomes.keys().cloned().collect(),
            examples: exploration.examples.clone(),
            failures: failures.collect(),
        }
    }

    fn add(&mut self, other: Self) {
        self.outcomes.extend(other.outcomes);
        self.examples.extend(other.examples);
        self.failures.extend(other.failures);
    }

    /// Results of the other that are not in this one; empty if there are none.
    pub fn additions(&self, verb: &str, other: &Self) -> String {
        let mut text = String::new();
        let is_example =
            |outcome: &&Outcome| [self, other].iter().any(|seen| seen.examples.contains(outcome));
        for outcome in other.outcomes.difference(&self.outcomes).filter(|outcome| !is_example(outcome)) {
            let _ = writeln!(text, "{verb} outcome {}", told(outcome));
        }
        for failure in other.failures.difference(&self.failures) {
            let _ = writeln!(text, "{verb} failure {failure:?}");
        }
        text
    }

    /// How another exploration differs; empty if it does not.
    pub fn difference(&self, other: &Self) -> String {
        other.additions("misses", self) + &self.additions("adds", other)
    }
}

/// An outcome for people.
pub fn told(outcome: &Outcome) -> String {
    let words: Vec<String> = outcome.0.chunks(8).map(word).collect();
    format!("{} (status {})", words.join(" "), outcome.1)
}

fn word(bytes: &[u8]) -> String {
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => format!("{:x}", u64::from_le_bytes(bytes)),
        Err(_) => format!("{bytes:?}"),
    }
}

fn fault(failure: &Failure, program: &Program) -> Fault {
    let place = &failure.location;
    match failure.detail {
        // Whether a thread waits already where an object is destroyed, or comes later, is no step.
        FailureDetail::DestroyWaited | FailureDetail::UseAfterDestroy => {
            (failure.kind, "destroyed".into(), String::new(), 0)
        }
        // Which of several identical threads it was makes no difference.
        detail
            if program.alike
                && (failure.kind == FailureKind::Deadlock || detail == FailureDetail::ExitHoldingLock) =>
        {
            (failure.kind, String::new(), String::new(), 0)
        }
        detail => (failure.kind, detail.word().into(), place.function.clone(), place.line),
    }
}

/// A program to explore in all modes, and the batch it is in.
pub struct Modes<'b> {
    pub batch: &'b Batch,
    pub index: usize,
    pub program: &'b Program,
    /// Seed of what is chosen at random.
    pub seed: u64,
}

impl Modes<'_> {
    /// Explores in all modes. The results under sequential consistency and under total store order, unless
    /// too much is to be explored; an error says where modes differ.
    pub fn compare(&self, counts: &mut Counts) -> Result<Option<[Seen; 2]>, String> {
        counts.programs += 1;
        let named = |name| symx_memmodel::by_name(name).expect("a model");
        let other = ["pso", "weak"][(self.seed % 2) as usize];
        let Some(sc) = self.under(named("sc"), counts).map_err(|why| format!("sc: {why}"))? else {
            return Ok(None);
        };
        let mut below = sc.clone();
        let mut tso = None;
        for name in ["tso", other] {
            let Some(seen) = self.under(named(name), counts).map_err(|why| format!("{name}: {why}"))? else {
                return Ok(None);
            };
            // Under the weak model a store takes its place among the others at its step. A signal, or a
            // request that its receiver acts on at once, comes after the steps that the receiver has taken.
            // So a store that a buffer would hold back beyond it is not held back (seeds 10439, 704033).
            let acts_at_once = |operation: &Operation| matches!(operation, Operation::Own(Own::CancelAtOnce));
            if name == "weak" && (self.program.handler.is_some() || self.program.has(acts_at_once)) {
                continue;
            }
            counts.pair("a weaker model");
            let mut lost = seen.additions("misses", &below);
            // Under the weak model, racing plain accesses are as they are under the others, but loads may
            // come late.
            if !lost.is_empty() {
                lost = format!("{name} has less than the model before it:\n{lost}");
                return Err(lost);
            }
            if name == "tso" {
                tso = Some(seen.clone());
            }
            below = seen;
        }
        Ok(tso.map(|tso| [sc, tso]))
    }

    fn how(&self, model: &'static dyn MemoryModel, reduction: Reduction) -> How {
        let options = ExploreOptions {
            reduction,
            max_executions: Some(MOST_EXECUTIONS),
            keep_going: true,
            seed: self.seed,
            ..ExploreOptions::default()
        };
        How { model, options, races: false, jobs: 1, limits: Limits::default() }
    }

    /// Explores, and replays each failure.
    fn explore(&self, how: &How, counts: &mut Counts) -> Result<Exploration, String> {
        let exploration = self.batch.explore(self.index, how);
        counts.executions += exploration.progress.executions;
        self.check(&exploration, how, counts)?;
        Ok(exploration)
    }

    fn check(&self, exploration: &Exploration, how: &How, counts: &mut Counts) -> Result<(), String> {
        if let Some(beyond @ Beyond::Contradiction(_)) = exploration.beyond {
            return Err(beyond.to_string());
        }
        for found in &exploration.failures {
            let replayed = self.batch.replay(self.index, how, found);
            counts.pair("replay");
            if !replayed.failure().is_some_and(|failure| failure.same_fault(&found.failure)) {
                let again = replayed.failure().map(|failure| failure.message.clone());
                return Err(format!(
                    "does not replay: {:?} at line {}: {:?} {:?}",
                    found.failure.message, found.failure.location.line, again, replayed.divergence
                ));
            }
        }
        Ok(())
    }

    /// Explores in all modes under one model; nothing if that is too much.
    fn under(&self, model: &'static dyn MemoryModel, counts: &mut Counts) -> Result<Option<Seen>, String> {
        let source_sets = self.how(model, Reduction::SourceSets);
        let reduced = self.explore(&source_sets, counts).map_err(|why| format!("source sets: {why}"))?;
        if is_large(&reduced) {
            counts.too_large += 1;
            return Ok(None);
        }
        if let Some(cut) = reduced.incomplete.first() {
            *counts.unsupported.entry(format!("{} {}", cut.reason, cut.what)).or_default() += 1;
            return Ok(None);
        }
        let expected = Seen::of(&reduced, self.program);
        counts.outcomes += expected.outcomes.len() as u64;
        counts.failures += expected.failures.len() as u64;
        let mut every = source_sets.clone();
        every.options.bound = Some(ScheduleBound::Preemptions(u32::MAX));
        every.options.max_executions = Some(MOST_SCHEDULES);
        let reads_from = self.how(model, Reduction::ReadsFrom);
        let mut exhaustive: Vec<(&str, How)> =
            vec![("every schedule", every), ("reads-from", reads_from.clone())];
        let with = |change: &dyn Fn(&mut How)| {
            let mut how = reads_from.clone();
            change(&mut how);
            how
        };
        exhaustive.push(("two workers", with(&|how| how.jobs = 2)));
        exhaustive.push(("states", with(&|how| how.options.reduction = Reduction::States)));
        exhaustive.push(("symmetry", with(&|how| how.options.symmetry = true)));
        let orders = [
            ("breadth first", PathOrder::BreadthFirst),
            ("random path", PathOrder::RandomPath),
            ("coverage", PathOrder::Coverage),
        ];
        for (name, order) in orders {
            exhaustive.push((name, with(&|how| how.options.search = Search::Paths(order))));
        }
        let (name, kind) = match self.seed % 2 {
            0 => ("preemptions", BoundKind::Preemptions),
            _ => ("delays", BoundKind::Delays),
        };
        let iterated = |how: &mut How| {
            how.options.search = Search::Iterative(kind);
            how.options.max_executions = Some(MOST_SCHEDULES);
        };
        exhaustive.push((name, with(&iterated)));
        exhaustive.push(("races", with(&|how| how.races = true)));
        for (name, how) in &exhaustive {
            let exploration = self.explore(how, counts).map_err(|why| format!("{name}: {why}"))?;
            if is_large(&exploration) {
                continue;
            }
            if *name == "reads-from"
                && let Some(beyond) = exploration.beyond
            {
                *counts.beyond.entry(beyond.to_string()).or_default() += 1;
            }
            if let Some(cut) = exploration.incomplete.first() {
                return Err(format!("{name} is incomplete: {} {}", cut.reason, cut.what));
            }
            let mut seen = Seen::of(&exploration, self.program);
            seen.failures.retain(|failure| failure.0 != FailureKind::Race);
            counts.pair(name);
            self.agree(name, &expected, &seen)?;
        }
        self.leaks(model, counts)?;
        self.in_pieces(&reads_from, &expected, "reads-from in pieces", counts)?;
        self.in_pieces(&source_sets, &expected, "source sets in pieces", counts)?;
        let (name, order) = orders[(self.seed % orders.len() as u64) as usize];
        let how = with(&|how| how.options.search = Search::Paths(order));
        self.in_pieces(&how, &expected, &format!("{name} in pieces"), counts)?;
        for sample in SEARCHES.iter().filter(|row| row.search.is_sample()) {
            let name = sample.name;
            let mut how = reads_from.clone();
            how.options.search = sample.search;
            how.options.max_executions = Some(SAMPLES);
            let exploration = self.explore(&how, counts).map_err(|why| format!("{name}: {why}"))?;
            counts.pair(name);
            // Before it is known what is shared, steps are longer, and a signal is delivered at the next one.
            let kills = |operation: &Operation| matches!(operation, Operation::Thread(ToThread::Kill, _));
            let more = expected.additions("adds", &Seen::of(&exploration, self.program));
            if !more.is_empty() && !self.program.has(kills) {
                return Err(format!("{name}: {more}"));
            }
        }
        Ok(Some(expected))
    }

    /// Explores where leaks count, so that what threads have done when the process ends matters.
    fn leaks(&self, model: &'static dyn MemoryModel, counts: &mut Counts) -> Result<(), String> {
        let mut how = self.how(model, Reduction::SourceSets);
        how.options.counted = how.options.counted.with(FailureKind::Leak);
        let mut every = how.clone();
        every.options.bound = Some(ScheduleBound::Preemptions(u32::MAX));
        every.options.max_executions = Some(MOST_SCHEDULES);
        let mut reads_from = how.clone();
        reads_from.options.reduction = Reduction::ReadsFrom;
        let modes = [("source sets", how), ("every schedule", every), ("reads-from", reads_from)];
        let mut expected: Option<Seen> = None;
        for (name, how) in modes {
            let name = format!("{name}, where leaks count");
            let exploration = self.explore(&how, counts).map_err(|why| format!("{name}: {why}"))?;
            if let Some(beyond) = exploration.beyond {
                *counts.beyond.entry(format!("{beyond} (where leaks count)")).or_default() += 1;
            }
            if is_large(&exploration) {
                continue;
            }
            let seen = Seen::of(&exploration, self.program);
            counts.pair(&name);
            match &expected {
                None => expected = Some(seen),
                Some(expected) => self.agree(&name, expected, &seen)?,
            }
        }
        Ok(())
    }

    fn agree(&self, name: &str, expected: &Seen, seen: &Seen) -> Result<(), String> {
        let why = expected.difference(seen);
        if why.is_empty() { Ok(()) } else { Err(format!("{name} against source sets:\n{why}")) }
    }

    /// Ends the exploration at random moments and goes on.
    fn in_pieces(&self, how: &How, expected: &Seen, name: &str, counts: &mut Counts) -> Result<(), String> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut how = how.clone();
        // Earlier explorations are counted with each piece.
        how.options.max_executions = None;
        let mut seen = Seen::default();
        for _ in 0..200 {
            how.limits.looks = if random.u8(..3) == 0 { u32::MAX - 1 } else { random.u32(1..12) };
            let exploration = self.explore(&how, counts).map_err(|why| format!("{name}: {why}"))?;
            seen.add(Seen::of(&exploration, self.program));
            let Some(saved) = exploration.saved.clone() else {
                if is_large(&exploration) {
                    return Ok(());
                }
                if let Some(cut) = exploration.incomplete.first() {
                    return Err(format!("{name} is incomplete: {} {}", cut.reason, cut.what));
                }
                counts.pair(name);
                return self.agree(name, expected, &seen);
            };
            how.options.resume = Some(saved);
        }
        Ok(())
    }
}

fn is_large(exploration: &Exploration) -> bool {
    exploration.incomplete.iter().any(|cut| {
        matches!(
            cut.reason,
            IncompleteReason::MaxExecutions | IncompleteReason::MaxSteps | IncompleteReason::MaxTime
        )
    })
}
