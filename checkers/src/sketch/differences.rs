//! Differences between failing executions and passing ones: whether they reach an instruction as often, read
//! the same values, and read from the same writes.
//!
//! Threads of failing executions are matched by the parts that they have in the failure. Accesses are
//! matched by their number among those of their thread at their instruction, counted from the first or from
//! the last.

use super::runs::{Sorted, last_writes, tracked};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use symx_trace::sketch::Score;
use symx_trace::{AccessMode, CallEffect, CodePlace, LoggedAccess, RunLog, Weight};

/// Executions of each kind from which on shares are compared. With fewer, what holds in half of all
/// executions holds in all failing ones by chance more often than once in a hundred times.
const FEW: f64 = 7.0;

/// Standard deviations between shares that are reached by chance less often than once in a hundred times.
const DEVIATIONS: f64 = 2.58;

/// A thread at an instruction.
pub(super) type Site = (u32, CodePlace);

/// Where an access is made, and by which thread.
pub(super) fn site_of(access: &LoggedAccess) -> Site {
    (access.thread, access.place)
}

/// One execution, its accesses by thread and instruction.
struct Execution<'a> {
    log: &'a RunLog,
    /// By thread of the execution shown, the thread that has its part here.
    threads: Vec<Option<u32>>,
    accesses: FxHashMap<Site, Vec<Observed>>,
    /// The values at each instruction, of any thread.
    values: FxHashSet<(CodePlace, u64)>,
    results: FxHashMap<Site, Vec<Option<u64>>>,
}

/// An access as an execution makes it.
struct Observed {
    time: u64,
    value: Option<u64>,
    sources: Vec<Site>,
}

/// The failing execution shown, beside the others.
pub(super) struct Differences<'a> {
    /// The accesses of the execution shown.
    pub accesses: Vec<&'a LoggedAccess>,
    /// For each, the writes that wrote its bytes last.
    pub sources: Vec<Vec<usize>>,
    shown: Execution<'a>,
    failing: Vec<Execution<'a>>,
    passing: Vec<Execution<'a>>,
}

/// How an access differs between failing and passing executions.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Whether its value or its source does.
    pub differs: bool,
    /// Writes that passing executions read from, and failing ones do not.
    pub alternatives: Vec<Site>,
}

/// How accesses of two executions are matched.
#[derive(Clone, Copy)]
enum Alignment {
    Nth(usize),
    Last,
}

impl<'a> Differences<'a> {
    /// Compares `shown` with the failing executions in `parts`, each with the threads that have parts in the
    /// failure, and with all that pass.
    pub fn new(
        shown: &'a RunLog,
        parts: &[(&'a RunLog, Vec<u32>)],
        runs: &Sorted<'a>,
        slice: &BTreeMap<CodePlace, u32>,
    ) -> Self {
        let own = parts.iter().find(|(run, _)| std::ptr::eq(*run, shown));
        let own = own.map_or(&[][..], |(_, parts)| parts);
        let failing = parts.iter().map(|(run, theirs)| {
            let threads = matched(shown, run, own.iter().copied().zip(theirs.iter().copied()));
            Execution::new(run, threads, slice)
        });
        let passing = runs.passing.iter().map(|run| {
            let threads = matched(shown, run, std::iter::empty());
            Execution::new(run, threads, slice)
        });
        let accesses = tracked(shown, slice);
        let threads = (0..shown.threads.len() as u32).map(Some).collect();
        Self {
            sources: last_writes(&accesses),
            accesses,
            shown: Execution::new(shown, threads, slice),
            failing: failing.collect(),
            passing: passing.collect(),
        }
    }

    /// Whether an observation tells failing executions from passing ones.
    fn differs(&self, holds: impl Fn(&Execution) -> bool) -> bool {
        let all = [&self.failing, &self.passing];
        let weigh = |of: &Vec<Execution>, holds: &dyn Fn(&Execution) -> bool| -> Weight {
            of.iter().filter(|run| holds(run)).map(|run| run.log.weight).sum()
        };
        is_difference(&Score::of(all.map(|of| weigh(of, &holds)), all.map(|of| weigh(of, &|_| true))))
    }

    /// Whether failing executions reach an instruction for the `nth` time, from 1, and passing ones do not.
    pub fn reaches(&self, (thread, place): Site, nth: u64) -> bool {
        self.differs(|run| {
            let visits = run.thread(thread).and_then(|thread| run.log.visits.get(&(thread, place)));
            visits.is_some_and(|visits| visits.count >= nth)
        })
    }

    /// Whether the result of a call differs: of the `nth` from 0 at that place.
    pub fn returns(&self, (thread, place): Site, nth: usize) -> bool {
        let of = |run: &Execution| {
            let results = run.thread(thread).and_then(|thread| run.results.get(&(thread, place)))?;
            results.get(nth).copied()
        };
        match of(&self.shown) {
            Some(None) => true,
            Some(known) => self.differs(|run| of(run) == Some(known)),
            None => false,
        }
    }

    /// How what an access reads differs. An input has any value.
    pub fn reading(&self, index: usize) -> Reading {
        let access = self.accesses[index];
        let site = site_of(access);
        let Some((nth, observed, is_last)) = self.shown.numbered(site, access.time) else {
            return Reading::default();
        };
        let is_small = access.end - access.start <= 8 && access.call.is_none();
        let is_input = observed.value.is_none() && is_small && access.mode == AccessMode::Read;
        let alignments = [Alignment::Nth(nth), Alignment::Last];
        let alignments = &alignments[..if is_last { 2 } else { 1 }];
        let differs = is_input
            || alignments.iter().any(|alignment| self.differs_as(site, observed, *alignment))
            || self.differs_anywhere(access.place, observed);
        let alternatives = if differs { self.alternatives(site, observed, alignments) } else { Vec::new() };
        Reading { differs, alternatives }
    }

    fn differs_as(&self, site: Site, observed: &Observed, alignment: Alignment) -> bool {
        let value = observed.value.is_some_and(|value| {
            self.differs(|run| run.at(site, alignment).is_some_and(|other| other.value == Some(value)))
        });
        value
            || self.differs(|run| {
                run.at(site, alignment).is_some_and(|other| {
                    let is_same =
                        |source: &Site| run.mapped(*source).is_some_and(|at| other.sources.contains(&at));
                    match &observed.sources[..] {
                        [] => other.sources.is_empty(),
                        sources => sources.iter().all(is_same),
                    }
                })
            })
    }

    /// Whether only failing executions have the value there, in whatever thread.
    fn differs_anywhere(&self, place: CodePlace, observed: &Observed) -> bool {
        observed.value.is_some_and(|value| self.differs(|run| run.values.contains(&(place, value))))
    }

    fn alternatives(&self, site: Site, observed: &Observed, alignments: &[Alignment]) -> Vec<Site> {
        let mut candidates: Vec<(Site, Alignment)> = Vec::new();
        for alignment in alignments {
            for run in &self.passing {
                let others = run.at(site, *alignment).into_iter().flat_map(|other| &other.sources);
                for source in others.filter_map(|source| run.as_shown(*source)) {
                    let is_known = candidates.iter().any(|(known, _)| *known == source);
                    if !is_known && !observed.sources.contains(&source) {
                        candidates.push((source, *alignment));
                    }
                }
            }
        }
        let is_read_from = |run: &Execution, source: Site, alignment: Alignment| {
            let source = run.mapped(source);
            run.at(site, alignment).is_some_and(|other| source.is_some_and(|it| other.sources.contains(&it)))
        };
        candidates.retain(|(source, alignment)| self.differs(|run| !is_read_from(run, *source, *alignment)));
        candidates.into_iter().map(|(source, _)| source).collect()
    }

    /// Whether in some passing execution the read comes before the write.
    pub fn may_come_first(&self, index: usize, write: Site) -> bool {
        let access = self.accesses[index];
        let site = site_of(access);
        let Some((nth, ..)) = self.shown.numbered(site, access.time) else { return false };
        self.passing.iter().any(|run| {
            let Some(read) = run.at(site, Alignment::Nth(nth)) else { return false };
            let writes = run.mapped(write).and_then(|write| run.accesses.get(&write));
            writes.is_some_and(|writes| writes.iter().all(|write| write.time > read.time))
        })
    }

    /// Whether in some passing execution the write comes before the other one.
    pub fn may_precede(&self, write: Site, other: Site) -> bool {
        let times = |run: &Execution, site: Site| -> Option<(u64, u64)> {
            let accesses = run.mapped(site).and_then(|site| run.accesses.get(&site))?;
            Some((accesses.first()?.time, accesses.last()?.time))
        };
        self.passing.iter().any(|run| {
            times(run, write).zip(times(run, other)).is_some_and(|((first, _), (_, last))| first < last)
        })
    }
}

impl<'a> Execution<'a> {
    fn new(log: &'a RunLog, threads: Vec<Option<u32>>, slice: &BTreeMap<CodePlace, u32>) -> Self {
        let tracked = tracked(log, slice);
        let sources = last_writes(&tracked);
        let mut accesses: FxHashMap<Site, Vec<Observed>> = FxHashMap::default();
        for (access, sources) in tracked.iter().zip(sources) {
            let sources = sources.into_iter().map(|write| (tracked[write].thread, tracked[write].place));
            accesses.entry(site_of(access)).or_default().push(Observed {
                time: access.time,
                value: log.shown(access).map(|shown| hash(&shown)),
                sources: sources.collect(),
            });
        }
        let mut results: FxHashMap<Site, Vec<Option<u64>>> = FxHashMap::default();
        for result in &log.results {
            results.entry((result.step.thread, result.step.place)).or_default().push(result.value);
        }
        let of_place = |((_, place), of): (&Site, &Vec<Observed>)| {
            let values: Vec<u64> = of.iter().filter_map(|observed| observed.value).collect();
            values.into_iter().map(|value| (*place, value)).collect::<Vec<_>>()
        };
        let values = accesses.iter().flat_map(of_place).collect();
        Self { log, threads, accesses, values, results }
    }

    fn thread(&self, shown: u32) -> Option<u32> {
        self.threads.get(shown as usize).copied().flatten()
    }

    fn mapped(&self, (thread, place): Site) -> Option<Site> {
        self.thread(thread).map(|thread| (thread, place))
    }

    fn as_shown(&self, (thread, place): Site) -> Option<Site> {
        let shown = self.threads.iter().position(|other| *other == Some(thread))?;
        Some((shown as u32, place))
    }

    /// The access that corresponds to one of the execution shown.
    fn at(&self, site: Site, alignment: Alignment) -> Option<&Observed> {
        let accesses = self.accesses.get(&self.mapped(site)?)?;
        match alignment {
            Alignment::Nth(nth) => accesses.get(nth),
            Alignment::Last => accesses.last(),
        }
    }

    /// Which access of its thread at its instruction it is, and whether it is the last.
    fn numbered(&self, site: Site, time: u64) -> Option<(usize, &Observed, bool)> {
        let accesses = self.accesses.get(&site)?;
        let nth = accesses.partition_point(|access| access.time < time);
        Some((nth, accesses.get(nth)?, nth + 1 == accesses.len()))
    }
}

/// Whether what an access reads is what another one wrote. An operation on a synchronisation object passes on
/// nothing, unless the thread waits forever for what another one has done.
pub(super) fn is_read(access: &LoggedAccess) -> bool {
    let synchronises = access.call.as_ref().is_some_and(|call| {
        !matches!(call.effect, CallEffect::Other | CallEffect::Free | CallEffect::Destroy)
    });
    access.waits || access.mode != AccessMode::Write && !synchronises
}

/// By thread of `shown`, the thread of `run` that has its part: those that are paired, then those of the same
/// name, then the others in their order.
fn matched(shown: &RunLog, run: &RunLog, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Option<u32>> {
    let mut threads: Vec<Option<u32>> = vec![None; shown.threads.len()];
    let mut free: Vec<u32> = (0..run.threads.len() as u32).collect();
    let take = |free: &mut Vec<u32>, thread: u32| {
        let at = free.iter().position(|other| *other == thread)?;
        Some(free.remove(at))
    };
    for (own, theirs) in pairs {
        if let Some(slot) = threads.get_mut(own as usize).filter(|slot| slot.is_none()) {
            *slot = take(&mut free, theirs);
        }
    }
    for (slot, name) in threads.iter_mut().zip(&shown.threads).filter(|(slot, _)| slot.is_none()) {
        let same = run.threads.iter().position(|other| other == name);
        *slot = same.and_then(|same| take(&mut free, same as u32));
    }
    let mut rest = free.into_iter();
    for slot in threads.iter_mut().filter(|slot| slot.is_none()) {
        *slot = rest.next();
    }
    threads
}

/// Whether a larger share of failing executions than of passing ones have something, and not by chance.
fn is_difference(score: &Score) -> bool {
    let Score { failing, passing, all_failing, all_passing } = *score;
    if all_passing == 0.0 {
        return true;
    }
    if all_failing < FEW || all_passing < FEW {
        return failing == all_failing && passing < all_passing;
    }
    let pooled = (failing + passing) / (all_failing + all_passing);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / all_failing + 1.0 / all_passing)).sqrt();
    failing / all_failing - passing / all_passing > DEVIATIONS * deviation
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::ThreadName;

    fn score(failing: u32, all_failing: u32, passing: u32, all_passing: u32) -> Score {
        let [failing, passing, all_failing, all_passing] =
            [failing, passing, all_failing, all_passing].map(f64::from);
        Score { failing, passing, all_failing, all_passing }
    }

    #[test]
    fn shares_that_may_be_equal_are_no_difference() {
        assert!(is_difference(&score(30, 30, 100, 200)));
        assert!(!is_difference(&score(16, 30, 100, 200)));
        assert!(!is_difference(&score(30, 30, 200, 200)), "what always holds tells nothing");
        assert!(!is_difference(&score(0, 30, 100, 200)), "it tells passing executions");
        // Of one failing execution all that does not hold always may matter.
        assert!(is_difference(&score(1, 1, 100, 200)) && !is_difference(&score(1, 1, 200, 200)));
        assert!(is_difference(&score(3, 3, 0, 0)), "without a passing execution nothing is excluded");
    }

    #[test]
    fn threads_are_matched_by_their_parts_then_by_name() {
        let main = ThreadName::main();
        let threads = vec![main.clone(), main.child(1), main.child(2)];
        let run = RunLog { threads, ..RunLog::default() };
        let alike = matched(&run, &run, std::iter::empty());
        assert_eq!(alike, [Some(0), Some(1), Some(2)]);
        let exchanged = matched(&run, &run, [(1, 2)].into_iter());
        assert_eq!(exchanged, [Some(0), Some(2), Some(1)], "the other takes the part that is left");
    }
}
