//! Which predictors hold in which executions, and which of them predict failure best.

use super::patterns::patterns;
use super::runs::{Sorted, shared, tracked};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use symx_trace::sketch::{Conflict, Predictor, PredictorType, Score};
use symx_trace::{CodePlace, RunLog, Weight};

/// A predictor with its score.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ranked {
    /// The observed event.
    pub predictor: Predictor,
    /// In how many executions.
    pub score: Score,
}

/// The class of orders that no execution reverses: only which write comes last differs. What threads do in
/// different orders says more, values say less.
const FIXED: u8 = 5;

/// The predictors that hold in a failing execution, the best first. Between equal scores, a failure of
/// several threads is rather predicted by what all of them do. Then come the classes, then what is nearer in
/// the slice to the failure, then places.
pub(super) fn ranking(runs: &Sorted, slice: &BTreeMap<CodePlace, u32>) -> Vec<Ranked> {
    let all = runs.failing.iter().chain(&runs.passing).map(|run| holding(run, slice)).collect::<Vec<_>>();
    let pairs = write_read_pairs(&all);
    let mut counts: FxHashMap<Predictor, [Weight; 2]> = FxHashMap::default();
    let all_weights = runs.weights();
    let logs = runs.failing.iter().chain(&runs.passing);
    for (number, (mut held, run)) in all.into_iter().zip(logs).enumerate() {
        held.extend(early(run, &pairs));
        for predictor in held {
            let [failing, passing] = counts.entry(predictor).or_insert([Weight::ZERO; 2]);
            let count = if number < runs.failing.len() { failing } else { passing };
            *count += run.weight;
        }
    }
    let mut ranked: Vec<Ranked> = counts
        .into_iter()
        .filter(|(_, [failing, _])| *failing > Weight::ZERO)
        .map(|(predictor, holding)| Ranked { predictor, score: Score::of(holding, all_weights) })
        .collect();
    let distance = |ranked: &Ranked| {
        let far = slice.values().max().map_or(1, |most| most + 1);
        let places = ranked.predictor.places();
        places.iter().map(|place| slice.get(place).copied().unwrap_or(far)).sum::<u32>()
    };
    let (ends, reversed) = (ends(runs), reversed(runs, &ranked));
    ranked.sort_by_cached_key(|ranked| {
        let f_measure = (ranked.score.f_measure() * 1e9) as u64;
        let predictor = &ranked.predictor;
        let places = predictor.places();
        let left_out = ends.iter().filter(|end| !places.contains(end)).count();
        let class = match predictor {
            Predictor::Order { before, after, .. } if !reversed.contains(&(*before, *after)) => FIXED,
            _ => predictor.class(),
        };
        (Reverse(f_measure), left_out, class, distance(ranked), predictor.clone())
    });
    ranked
}

/// Where threads wait in a failure of several threads; empty where one fails.
fn ends(runs: &Sorted) -> BTreeSet<CodePlace> {
    let ends = runs.failing.first().map_or(&[][..], |run| &run.ends_at);
    let ends: BTreeSet<CodePlace> = ends.iter().map(|(_, place)| *place).collect();
    if ends.len() > 1 { ends } else { BTreeSet::new() }
}

/// The orders of two instructions that threads reverse in some execution.
fn reversed(runs: &Sorted, ranked: &[Ranked]) -> FxHashSet<(CodePlace, CodePlace)> {
    let order = |ranked: &Ranked| match ranked.predictor {
        Predictor::Order { before, after, .. } => Some((before, after)),
        _ => None,
    };
    let mut open: FxHashSet<(CodePlace, CodePlace)> = ranked.iter().filter_map(order).collect();
    let mut reversed = FxHashSet::default();
    for run in runs.failing.iter().chain(&runs.passing) {
        let (mut first, mut last) = (FxHashMap::default(), FxHashMap::default());
        for access in &run.accesses {
            first.entry(access.place).or_insert(access.time);
            last.insert(access.place, access.time);
        }
        let is_reversed = |(before, after): &(CodePlace, CodePlace)| {
            first.get(after).is_some_and(|after| last.get(before).is_none_or(|before| after < before))
        };
        reversed.extend(open.iter().copied().filter(|pair| is_reversed(pair)));
        open.retain(|pair| !reversed.contains(pair));
    }
    reversed
}

/// The best of each type that predicts anything and says something, in the order of a ranking.
pub(super) fn best_of_types(ranked: &[Ranked], says: &dyn Fn(&Predictor) -> bool) -> Vec<Ranked> {
    let mut types: FxHashSet<PredictorType> = FxHashSet::default();
    let predicting = ranked.iter().filter(|ranked| ranked.score.discriminates());
    let is_best = |ranked: &&Ranked| {
        let of_type = ranked.predictor.of_type();
        !types.contains(&of_type) && says(&ranked.predictor) && types.insert(of_type)
    };
    predicting.filter(is_best).cloned().collect()
}

/// The predictors that hold in an execution.
fn holding(run: &RunLog, slice: &BTreeMap<CodePlace, u32>) -> FxHashSet<Predictor> {
    let mut held: FxHashSet<Predictor> = FxHashSet::default();
    matches(run, slice, &mut |(predictor, _)| {
        held.insert(predictor);
    });
    let edges = run.edges.iter().filter(|(place, _)| slice.contains_key(place));
    held.extend(edges.map(|(place, edge)| Predictor::Branch { place: *place, edge: *edge }));
    let values = run.accesses.iter().filter(|access| slice.contains_key(&access.place));
    held.extend(
        values.filter_map(|access| Some(Predictor::Value { place: access.place, value: run.shown(access)? })),
    );
    held
}

/// The patterns of an execution's accesses, with the accesses by their times.
fn matches(run: &RunLog, slice: &BTreeMap<CodePlace, u32>, found: &mut dyn FnMut((Predictor, Vec<u64>))) {
    let accesses = shared(&tracked(run, slice));
    patterns(&accesses, &mut |(predictor, at)| {
        found((predictor, at.into_iter().map(|at| accesses[at].time).collect()));
    });
}

/// Writes that reads of other threads directly follow in some execution.
fn write_read_pairs(all: &[FxHashSet<Predictor>]) -> FxHashSet<(CodePlace, CodePlace)> {
    let pair = |predictor: &Predictor| match predictor {
        Predictor::Order { pattern: Conflict::Wr, before, after } => Some((*before, *after)),
        _ => None,
    };
    all.iter().flatten().filter_map(pair).collect()
}

/// The pairs of which an execution reaches the read without having reached the write in another thread.
fn early(run: &RunLog, pairs: &FxHashSet<(CodePlace, CodePlace)>) -> Vec<Predictor> {
    let mut first: FxHashMap<CodePlace, u64> = FxHashMap::default();
    for access in &run.accesses {
        first.entry(access.place).or_insert(access.time);
    }
    let is_early = |(write, read): &&(CodePlace, CodePlace)| {
        // Of a cut log it is not known what came first.
        let Some(read) = first.get(read).filter(|_| !run.is_cut) else { return false };
        first.get(write).is_none_or(|write| read < write)
    };
    pairs
        .iter()
        .filter(is_early)
        .map(|(write, read)| Predictor::Early { read: *read, write: *write })
        .collect()
}

/// The times of the accesses that make a predictor hold in an execution, where it holds last; `None` if it
/// does not hold.
pub(super) fn occurrence(
    run: &RunLog,
    slice: &BTreeMap<CodePlace, u32>,
    predictor: &Predictor,
) -> Option<Vec<u64>> {
    let last_at = |place: CodePlace| run.accesses.iter().rev().find(|access| access.place == place);
    match predictor {
        Predictor::Branch { place, edge } => run.edges.contains(&(*place, *edge)).then(Vec::new),
        Predictor::Value { place, value } => {
            let holds = |access: &&symx_trace::LoggedAccess| {
                access.place == *place && run.shown(access).as_deref() == Some(value)
            };
            run.accesses.iter().rev().find(holds).map(|access| vec![access.time])
        }
        Predictor::Early { read, write } => {
            let first = run.accesses.iter().find(|access| access.place == *read)?;
            let before = run.accesses.iter().take_while(|access| access.time < first.time);
            let is_early = before.into_iter().all(|access| access.place != *write);
            let write = last_at(*write).map(|access| access.time);
            is_early.then(|| [first.time].into_iter().chain(write).collect())
        }
        _ => {
            let mut last = None;
            matches(run, slice, &mut |(found, times)| {
                if found == *predictor {
                    last = Some(times);
                }
            });
            last
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::{AccessMode, LoggedAccess};

    use AccessMode::{Read, Write};

    fn place(pc: u32) -> CodePlace {
        CodePlace { function: 0, pc }
    }

    /// An execution with accesses to one variable, by thread, instruction, mode and value.
    fn run(accesses: &[(u32, u32, AccessMode, u64)]) -> RunLog {
        let access = |(time, (thread, pc, mode, value)): (u64, &(u32, u32, AccessMode, u64))| LoggedAccess {
            time,
            thread: *thread,
            place: place(*pc),
            mode: *mode,
            start: 64,
            end: 68,
            value: Some(*value),
            call: None,
            waits: false,
        };
        RunLog { accesses: (1..).zip(accesses).map(access).collect(), ..RunLog::default() }
    }

    fn sorted<'a>(failing: Vec<&'a RunLog>, passing: Vec<&'a RunLog>) -> Sorted<'a> {
        Sorted { failing, passing, otherwise: Weight::ZERO }
    }

    /// Two executions along one path stand for three runs: the value of one of them is no fact about three.
    #[test]
    fn executions_that_share_runs_count_a_part_each() {
        let shared = |mut run: RunLog| {
            run.weight = Weight::share(3, 2);
            run.edges.insert((place(3), 0));
            run
        };
        let passing = [increments(&[0, 0, 1, 1], 2), increments(&[0, 0, 1, 1], 1)].map(shared);
        let failing = increments(&[0, 1, 0, 1], 1);
        let failing = RunLog { weight: Weight::share(2, 1), ..failing };
        let ranked = ranking(&sorted(vec![&failing], passing.iter().collect()), &slice());
        let value = Predictor::Value { place: place(3), value: "1".into() };
        let found = ranked.iter().find(|ranked| ranked.predictor == value).unwrap();
        let expected = Score { failing: 2.0, passing: 1.5, all_failing: 2.0, all_passing: 3.0 };
        assert_eq!(found.score, expected);
    }

    fn slice() -> BTreeMap<CodePlace, u32> {
        (0..4).map(|pc| (place(pc), 3 - pc)).collect()
    }

    /// Instructions 0 and 1 read and write, 3 reads all in the end.
    fn increments(order: &[u32], total: u64) -> RunLog {
        let mut accesses = Vec::new();
        let mut seen = [0; 2];
        for thread in order {
            let pc = seen[*thread as usize];
            accesses.push((*thread, pc, if pc == 0 { Read } else { Write }, 1));
            seen[*thread as usize] += 1;
        }
        accesses.push((2, 3, Read, total));
        run(&accesses)
    }

    #[test]
    fn the_lost_update_comes_before_the_value_that_it_leaves() {
        let failing = [increments(&[0, 1, 0, 1], 1), increments(&[1, 0, 0, 1], 1)];
        let passing = [increments(&[0, 0, 1, 1], 2), increments(&[1, 1, 0, 0], 2)];
        let runs = sorted(failing.iter().collect(), passing.iter().collect());
        let ranked = ranking(&runs, &slice());
        assert!(matches!(ranked[0].predictor, Predictor::Atomicity { .. }), "{:?}", ranked[0]);
        assert_eq!(ranked[0].score, Score { failing: 2.0, passing: 0.0, all_failing: 2.0, all_passing: 2.0 });
        let best = best_of_types(&ranked, &|_| true);
        assert_eq!(best.len(), 2, "no branch was taken");
        assert_eq!(best[1].predictor, Predictor::Value { place: place(3), value: "1".into() });
        let is_order = |predictor: &Predictor| predictor.of_type() == PredictorType::Order;
        let orders = best_of_types(&ranked, &is_order);
        assert_eq!(orders, best[..1], "what says nothing is left out");
        assert_eq!(ranking(&runs, &slice()), ranked, "ties have an order");
    }

    #[test]
    fn what_is_alike_in_all_executions_is_no_predictor() {
        let (failing, passing) = (increments(&[0, 0, 1, 1], 2), increments(&[0, 0, 1, 1], 2));
        let runs = sorted(vec![&failing], vec![&passing]);
        assert_eq!(best_of_types(&ranking(&runs, &slice()), &|_| true), []);
        let alone = sorted(vec![&failing], Vec::new());
        assert_eq!(best_of_types(&ranking(&alone, &slice()), &|_| true), []);
    }

    #[test]
    fn a_read_before_the_write_that_others_see_is_early() {
        let (failing, passing) = (run(&[(1, 1, Read, 0)]), run(&[(0, 0, Write, 7), (1, 1, Read, 7)]));
        let runs = sorted(vec![&failing], vec![&passing]);
        let best = &ranking(&runs, &slice())[0];
        let early = Predictor::Early { read: place(1), write: place(0) };
        assert_eq!((&best.predictor, best.score.passing), (&early, 0.0));
        assert_eq!(occurrence(&failing, &slice(), &early), Some(vec![1]));
        assert_eq!(occurrence(&passing, &slice(), &early), None);
    }
}
