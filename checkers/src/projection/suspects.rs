//! Orders that may be what makes an execution fail, where no symbolic trace says which do. They are read off
//! the difference to the passing execution, for a caller that can test them.

use super::lives::failing_step;
use super::remedies::Projection;
use super::{Matching, conflict};
use crate::projection::limits::{MOST_STEPS_SUSPECTED, MOST_SUSPECTED};
use symx_trace::explanation::{Difference, ExecutedStep, Execution};
use symx_trace::{EventKind, Location, ThreadName};

/// An order that may matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// Two steps of different threads, the earlier first.
    pub order: (u32, u32),
    /// Of each, the number of the visit to its place that it is part of.
    pub visits: (u32, u32),
    /// Whether they are in the reverse order in the passing execution. If not, they may not be reversible.
    pub is_reversed: bool,
}

impl Suspect {
    /// The reverse order.
    pub fn reversed(self) -> Self {
        let swapped = |(one, other)| (other, one);
        Self { order: swapped(self.order), visits: swapped(self.visits), is_reversed: false }
    }
}

/// Orders of single steps that the passing execution reverses, near ones first.
pub fn reversed_orders(
    failing: &Execution,
    passing: &Execution,
    difference: &Difference,
) -> impl Iterator<Item = (u32, u32)> {
    let matching = Matching::new(failing, passing);
    let projection = Projection { failing, passing, matching: &matching };
    projection.reversed(&difference.failing_steps).into_iter().take(MOST_SUSPECTED)
}

/// Orders that may matter, likely ones first. Those that are reversed in the passing execution come before
/// those of steps that conflict, from the failing step back.
///
/// Each step represents a visit of its thread to one place: the earlier is the last of its visit, the later
/// the first.
pub fn suspects(failing: &Execution, passing: &Execution, difference: &Difference) -> Vec<Suspect> {
    let reversed = reversed_orders(failing, passing, difference).map(|order| (order, true));
    let conflicts = conflicts(failing).into_iter().map(|order| (order, false));
    let mut suspects: Vec<Suspect> = Vec::new();
    for ((early, late), is_reversed) in reversed.chain(conflicts) {
        if let (Some(early), Some(late)) = (visit(failing, early), visit(failing, late)) {
            let (order, visits) = ((early.last, late.first), (early.number, late.number));
            let is_new = suspects.iter().all(|known| known.order != order);
            if order.0 < order.1 && is_new && suspects.len() < MOST_SUSPECTED {
                suspects.push(Suspect { order, visits, is_reversed });
            }
        }
    }
    suspects
}

/// Steps with the last steps of other threads before them that they conflict with, those of the
/// step that fails first.
fn conflicts(failing: &Execution) -> Vec<(u32, u32)> {
    let step = |number: u32| &failing.steps[number as usize];
    let count = failing.steps.len() as u32;
    let fails = failing_step(failing);
    let others =
        (count.saturating_sub(MOST_STEPS_SUSPECTED)..count).rev().filter(|late| Some(*late) != fails);
    let mut pairs = Vec::new();
    for late in fails.into_iter().chain(others) {
        let mut threads = Vec::new();
        for early in (0..late)
            .rev()
            .take(MOST_STEPS_SUSPECTED as usize)
            .filter(|early| conflict(step(*early), step(late)))
        {
            if Some(late) == fails || !threads.contains(&step(early).thread) {
                threads.push(step(early).thread);
                pairs.push((early, late));
            }
        }
    }
    pairs
}

/// A thread's steps at one place of the source, with none of its elsewhere between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Its first step.
    pub first: u32,
    /// Its last step that was taken, or the one that was asked for.
    pub last: u32,
    /// Its number among the thread's visits to the place, from 1.
    pub number: u32,
}

/// The visit that a step is part of. `None` if the place is not known, or the step is none of a thread's own.
pub fn visit(execution: &Execution, number: u32) -> Option<Visit> {
    let step = &execution.steps[number as usize];
    let thread = &execution.threads[step.thread as usize].name;
    let visits = visits(execution, thread, &step.location);
    let at = place_among(execution, number, &visits)?;
    let is_taken = |other: &&u32| execution.steps[**other as usize].is_taken();
    let taken = visits[at].iter().skip_while(|other| **other <= number).take_while(is_taken);
    Some(Visit { first: visits[at][0], last: *taken.last().unwrap_or(&number), number: at as u32 + 1 })
}

/// The number of a step among those of its kind that its thread takes at its place, from 1. `None` as of
/// [`visit`].
pub fn occurrence(execution: &Execution, number: u32) -> Option<u32> {
    let step = &execution.steps[number as usize];
    let steps = occurrences(execution, &execution.threads[step.thread as usize].name, step);
    Some(place_among(execution, number, &steps)? as u32 + 1)
}

/// Which of the visits a step is part of, if all before it can be counted.
fn place_among(execution: &Execution, number: u32, visits: &[Vec<u32>]) -> Option<usize> {
    let step = &execution.steps[number as usize];
    if step.kind == EventKind::Commit || step.location.line == 0 || step.location.file.is_empty() {
        return None;
    }
    // Folded steps are not counted.
    let is_folded = |other: &ExecutedStep| other.thread == step.thread && other.folded > 0;
    if execution.steps[..number as usize].iter().any(is_folded) {
        return None;
    }
    visits.iter().position(|visit| visit.contains(&number))
}

/// The steps of each of a thread's visits to a place.
pub fn visits(execution: &Execution, thread: &ThreadName, place: &Location) -> Vec<Vec<u32>> {
    let step = |number: u32| &execution.steps[number as usize];
    let own = own_steps(execution, thread);
    let stretches = own.chunk_by(|one, next| is_one_place(&step(*one).location, &step(*next).location));
    let is_there = |visit: &&[u32]| is_one_place(&step(visit[0]).location, place);
    stretches.filter(is_there).map(<[u32]>::to_vec).collect()
}

/// The steps of a thread that are of the kind of this one and at its place, each by itself.
pub fn occurrences(execution: &Execution, thread: &ThreadName, like: &ExecutedStep) -> Vec<Vec<u32>> {
    let is_like = |number: &u32| {
        let step = &execution.steps[*number as usize];
        std::mem::discriminant(&step.kind) == std::mem::discriminant(&like.kind)
            && is_one_place(&step.location, &like.location)
    };
    own_steps(execution, thread).into_iter().filter(is_like).map(|number| vec![number]).collect()
}

fn own_steps(execution: &Execution, thread: &ThreadName) -> Vec<u32> {
    let step = |number: u32| &execution.steps[number as usize];
    let is_own = |number: &u32| {
        execution.threads[step(*number).thread as usize].name == *thread
            && step(*number).kind != EventKind::Commit
    };
    (0..execution.steps.len() as u32).filter(is_own).collect()
}

fn is_one_place(one: &Location, other: &Location) -> bool {
    (one.line, one.column, &one.file) == (other.line, other.column, &other.file)
}

#[cfg(test)]
mod tests {
    use super::super::difference;
    use super::super::tests::execution;
    use super::*;

    #[test]
    fn what_is_the_other_way_round_is_suspected() {
        let mut failing = execution(&[(0, 'w', "stopped", None), (1, 'r', "stopped", Some(0))]);
        let mut passing = execution(&[(1, 'r', "stopped", None), (0, 'w', "stopped", None)]);
        for step in failing.steps.iter_mut().chain(&mut passing.steps) {
            step.location.file = "a.c".into();
        }
        let difference = difference(&failing, &passing);
        let suspect = Suspect { order: (0, 1), visits: (1, 1), is_reversed: true };
        assert_eq!(suspects(&failing, &passing, &difference), [suspect]);
        assert_eq!(conflicts(&failing), [(0, 1)]);
    }

    #[test]
    fn steps_represent_visits() {
        let mut failing =
            execution(&[(0, 'r', "n", None), (0, 'w', "n", None), (1, 'r', "n", None), (0, 'r', "n", None)]);
        failing.steps.iter_mut().for_each(|step| step.location.file = "a.c".into());
        failing.steps[1].location = failing.steps[0].location.clone();
        assert_eq!(visit(&failing, 0), Some(Visit { first: 0, last: 1, number: 1 }));
        assert_eq!(visit(&failing, 2), Some(Visit { first: 2, last: 2, number: 1 }));
        // Comes there a second time.
        failing.steps.insert(3, failing.steps[2].clone());
        failing.steps[3].location.line = 90;
        failing.steps.insert(4, failing.steps[2].clone());
        assert_eq!(visit(&failing, 4), Some(Visit { first: 4, last: 4, number: 2 }));
        let (thread, place) = (ThreadName::main().child(1), failing.steps[2].location.clone());
        assert_eq!(visits(&failing, &thread, &place), [[2], [4]]);
        // Folded steps may have been visits, too.
        failing.steps[3].folded = 4;
        assert_eq!(visit(&failing, 4), None);
    }
}
