//! Which rows are folded away at first.

use super::layout::Row;
use crate::render::sentences::location_of;
use std::collections::HashSet;
use std::ops::Range;
use symx_ir::program::is_library_source;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation};

/// Rows that are one line until it is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The first row.
    pub first: u32,
    /// The last row.
    pub last: u32,
    /// Of a loop that iterates: how many rows one round takes.
    pub round: Option<u32>,
}

/// Fewer rows are not folded, unless all are a library's.
const SHORTEST_FOLD: usize = 6;

/// A stretch of one thread as long as this is folded by itself, so that the running thread is seen.
const LONG_STRETCH: usize = 1_000;

/// Rounds of a loop are looked for up to this many steps.
const LONGEST_ROUND: usize = 6;

/// A loop that iterates this often is folded.
const FEWEST_ROUNDS: usize = 4;

/// This many rows before and after what matters, context switches are shown.
const NEAR: usize = 40;

/// Of this many rows at the end, context switches are shown if nothing is known to matter.
const MOST_SWITCHES: usize = 5000;

/// Rows at the end that are never folded: what leads to the failure.
const END: usize = 8;

/// The rows folded at first: rounds of loops, and stretches in which nothing happens that matters.
pub fn folds(explanation: &Explanation, rows: &[Row]) -> Vec<Fold> {
    let matters = mattering_rows(explanation, rows);
    let mut folds = loops(explanation, rows, &matters);
    let mut taken = vec![false; rows.len()];
    for fold in &folds {
        taken[fold.first as usize..=fold.last as usize].fill(true);
    }
    let near = near(&matters);
    let own = own_rows(explanation, rows, &matters);
    let is_kept = |at: usize| {
        let around = at.saturating_sub(1)..(at + 2).min(rows.len());
        let is_switch = |one: usize, other: usize| {
            other < rows.len() && threads(explanation, rows[one]) != threads(explanation, rows[other])
        };
        let is_near = || {
            at + END >= rows.len()
                || matters[around].contains(&true)
                || near[at] && (is_switch(at - 1, at) || is_switch(at, at + 1))
        };
        taken[at] || at == 0 || at + 1 == rows.len() || matters[at] || is_near() && own[at]
    };
    let is_of_library = |range: Range<usize>| !own[range].contains(&true);
    let mut first = None;
    for at in 0..=rows.len() {
        if at < rows.len() && !is_kept(at) {
            first.get_or_insert(at);
        } else if let Some(begin) = first.take()
            && (at - begin >= SHORTEST_FOLD || is_of_library(begin..at))
        {
            folds.extend(by_stretch(explanation, rows, begin, at));
        }
    }
    folds.sort_unstable_by_key(|fold| fold.first);
    folds
}

/// Rows to be folded, from the first to before the end: long stretches of one thread are each a
/// fold of its own.
fn by_stretch(explanation: &Explanation, rows: &[Row], first: usize, end: usize) -> Vec<Fold> {
    let is_same = |one: &Row, other: &Row| threads(explanation, *one) == threads(explanation, *other);
    let mut folds: Vec<Fold> = Vec::new();
    let (mut at, mut was_long) = (first as u32, true);
    for stretch in rows[first..end].chunk_by(is_same) {
        let (last, is_long) = (at + stretch.len() as u32 - 1, stretch.len() >= LONG_STRETCH);
        match folds.last_mut() {
            // Short ones between are one fold.
            Some(fold) if !is_long && !was_long => fold.last = last,
            _ => folds.push(Fold { first: at, last, round: None }),
        }
        (at, was_long) = (last + 1, is_long);
    }
    folds.retain(|fold| fold.first < fold.last);
    folds
}

/// By row, whether something that matters is near enough for every context switch to be shown. If nothing is
/// known to matter, all are, unless there are very many.
fn near(matters: &[bool]) -> Vec<bool> {
    if !matters.contains(&true) {
        let first = matters.len().saturating_sub(MOST_SWITCHES);
        return (0..matters.len()).map(|row| row >= first).collect();
    }
    let mut near = vec![false; matters.len()];
    for (row, _) in matters.iter().enumerate().filter(|(_, matters)| **matters) {
        near[row.saturating_sub(NEAR)..(row + NEAR + 1).min(matters.len())].fill(true);
    }
    near
}

fn threads(explanation: &Explanation, row: Row) -> (Option<u32>, Option<u32>) {
    let thread = |execution: &Execution, step: u32| execution.steps[step as usize].thread;
    (
        row.failing.map(|step| thread(&explanation.failing, step)),
        row.passing.zip(explanation.passing.as_ref()).map(|(step, execution)| thread(execution, step)),
    )
}

/// By row, whether the explanation speaks of one of its steps.
fn mattering_rows(explanation: &Explanation, rows: &[Row]) -> Vec<bool> {
    let difference = &explanation.difference;
    let mut failing = vec![false; explanation.failing.steps.len()];
    let mut passing = vec![false; explanation.passing.as_ref().map_or(0, |execution| execution.steps.len())];
    let orders = explanation.cause.orders.iter().flat_map(|(earlier, later)| [*earlier, *later]);
    let remedies = explanation.remedies.iter().flat_map(|remedy| <[u32; 2]>::from(remedy.steps()));
    let flows = difference.failing_flows.iter().flat_map(|flow| flow.from.into_iter().chain([flow.to]));
    for step in difference.failing_steps.iter().copied().chain(orders).chain(remedies).chain(flows) {
        failing[step as usize] = true;
    }
    let flows = difference.passing_flows.iter().flat_map(|flow| flow.from.into_iter().chain([flow.to]));
    for step in difference.passing_steps.iter().copied().chain(flows) {
        passing[step as usize] = true;
    }
    let matters = |row: &Row| {
        row.failing.is_some_and(|step| failing[step as usize])
            || row.passing.is_some_and(|step| passing[step as usize])
    };
    rows.iter().map(matters).collect()
}

/// By row, whether the program does one of its steps: with its own code, by a call, or through a library at
/// an object that matters. What else a library touches on the way, such as counts of references, says little.
/// If no object is known to matter, each may.
fn own_rows(explanation: &Explanation, rows: &[Row], matters: &[bool]) -> Vec<bool> {
    let mattering = rows.iter().zip(matters).filter(|(_, matters)| **matters).map(|(row, _)| row);
    let objects: HashSet<&str> = mattering
        .flat_map(|row| row.steps(explanation))
        .map(|(_, step)| &*step.object)
        .filter(|object| !object.is_empty())
        .collect();
    let is_own = |(execution, step): (&Execution, &ExecutedStep)| {
        let is_by_the_way = step.library.is_some()
            && step.kind.is_access()
            && !objects.is_empty()
            && !objects.contains(&*step.object);
        !is_by_the_way && !is_library_source(&location_of(execution, step).file)
    };
    rows.iter().map(|row| row.steps(explanation).any(is_own)).collect()
}

/// Rows that repeat the few before them again and again; the first round stays.
fn loops(explanation: &Explanation, rows: &[Row], matters: &[bool]) -> Vec<Fold> {
    let same = |one: usize, other: usize| {
        let (one, other) = (rows[one], rows[other]);
        let alike = |execution: Option<&Execution>, one: Option<u32>, other: Option<u32>| match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => execution.is_some_and(|execution| {
                let (one, other) = (&execution.steps[one as usize], &execution.steps[other as usize]);
                (one.thread, &one.kind, one.progress, one.outcome, one.part(), &one.value, &one.location)
                    == (
                        other.thread,
                        &other.kind,
                        other.progress,
                        other.outcome,
                        other.part(),
                        &other.value,
                        &other.location,
                    )
            }),
            _ => false,
        };
        alike(Some(&explanation.failing), one.failing, other.failing)
            && alike(explanation.passing.as_ref(), one.passing, other.passing)
    };
    let mut folds = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let repeats = |round: usize| {
            let same = (at..rows.len().saturating_sub(round))
                .take_while(|row| same(*row, row + round) && !matters[row + round]);
            same.count() / round
        };
        let found = (1..=LONGEST_ROUND).find_map(|round| {
            let rounds = repeats(round);
            (rounds + 1 >= FEWEST_ROUNDS).then_some((round, rounds))
        });
        match found {
            Some((round, rounds)) => {
                let first = at + round;
                let last = first + round * rounds - 1;
                folds.push(Fold { first: first as u32, last: last as u32, round: Some(round as u32) });
                at = last + 1;
            }
            None => at += 1,
        }
    }
    folds
}
#[cfg(test)]
mod tests {
    use super::super::super::example::lost_update;
    use super::super::layout::rows;
    use super::*;
    use symx_ir::SourceName;
    use symx_trace::Location;

    #[test]
    fn what_a_library_does_alone_is_folded() {
        let mut explanation = Explanation { passing: None, ..lost_update() };
        explanation.difference = Default::default();
        explanation.cause.orders.clear();
        explanation.remedies.clear();
        assert_eq!(folds(&explanation, &rows(&explanation)), []);
        for step in &mut explanation.failing.steps[1..4] {
            step.location.file = "musl/src/exit/exit.c".into();
        }
        let found = folds(&explanation, &rows(&explanation));
        assert_eq!(found, [Fold { first: 1, last: 3, round: None }]);
    }

    #[test]
    fn what_a_library_touches_for_a_line_that_matters_is_folded() {
        let mut explanation = Explanation { passing: None, ..lost_update() };
        explanation.difference.passing_steps.clear();
        explanation.difference.passing_flows.clear();
        let count = explanation.failing.steps[2].clone();
        let inlined = |object: &str| ExecutedStep {
            object: SourceName::expression(object),
            library: Some(Location {
                file: "/rustc/5980/library/std/src/panicking.rs".into(),
                ..count.location.clone()
            }),
            ..count.clone()
        };
        let others = [inlined("GLOBAL_PANIC_COUNT"), inlined("*count.poison"), inlined(&count.object)];
        explanation.failing.steps.splice(3..3, others);
        let found = folds(&explanation, &rows(&explanation));
        assert_eq!(found, [Fold { first: 3, last: 4, round: None }]);
        explanation.difference = Default::default();
        explanation.cause.orders.clear();
        explanation.remedies.clear();
        assert_eq!(folds(&explanation, &rows(&explanation)), []);
    }

    #[test]
    fn long_stretches_and_loops_are_folded_but_nothing_that_matters() {
        let mut explanation = Explanation { passing: None, ..lost_update() };
        explanation.difference = Default::default();
        explanation.cause.orders.clear();
        explanation.remedies.clear();
        let model = explanation.failing.steps[0].clone();
        explanation.failing.steps = (0..100)
            .map(|number| ExecutedStep { value: number.to_string(), ..model.clone() })
            .chain(std::iter::repeat_n(ExecutedStep { thread: 2, ..model.clone() }, 50))
            .collect();
        let found = folds(&explanation, &rows(&explanation));
        let expected =
            [Fold { first: 1, last: 98, round: None }, Fold { first: 101, last: 149, round: Some(1) }];
        assert_eq!(found, expected);
        explanation.cause.orders.push((50, 120));
        let found = folds(&explanation, &rows(&explanation));
        assert!(found.iter().all(|fold| !(fold.first..=fold.last).contains(&50)), "{found:?}");
        assert!(found.iter().all(|fold| !(fold.first..=fold.last).contains(&120)), "{found:?}");
        // Of long stretches is seen whose they are.
        let stretches = [(0, 2 * LONG_STRETCH), (1, 3), (2, 3), (1, LONG_STRETCH), (2, 100 + END)];
        let of = |(thread, length): (u32, usize)| (0..length).map(move |number| (thread, number));
        let step = |(thread, number): (u32, usize)| ExecutedStep {
            thread,
            value: number.to_string(),
            ..model.clone()
        };
        explanation.failing.steps = stretches.into_iter().flat_map(of).map(step).collect();
        explanation.cause.orders.clear();
        let rows = rows(&explanation);
        let ends: Vec<_> = by_stretch(&explanation, &rows, 1, rows.len() - END)
            .iter()
            .map(|fold| (fold.first as usize, fold.last as usize))
            .collect();
        let first = 2 * LONG_STRETCH;
        let expected = [
            (1, first - 1),
            (first, first + 5),
            (first + 6, 3 * LONG_STRETCH + 5),
            (3 * LONG_STRETCH + 6, 3 * LONG_STRETCH + 105),
        ];
        assert_eq!(ends, expected);
    }
}
