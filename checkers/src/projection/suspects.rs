//! Orders that may be what makes an execution fail, where no symbolic trace says which do: told by the difference to the
//! alternate, for whoever can find out.

use super::lives::failing_step;
use super::remedies::Projection;
use super::{Matching, at_one_object, changes_object};
use symx_trace::EventKind;
use symx_trace::explanation::{Difference, Execution};

/// Orders told at most.
const MOST: usize = 12;
/// Steps at the end that are looked at.
const MOST_STEPS: u32 = 200;

/// An order that may matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// Two steps of different threads, the earlier first.
    pub order: (u32, u32),
    /// Whether they are the other way round in the alternate. If not, it may be that they cannot be.
    pub is_reversed: bool,
}

/// Orders that may matter, likely ones first: those that are the other way round in the alternate, then those of steps that
/// conflict, from the failing step back.
///
/// Each step stands for a visit of its thread's to one place, the first there: the earlier is the last of its visit, the
/// later the first.
pub fn suspects(failing: &Execution, alternate: &Execution, difference: &Difference) -> Vec<Suspect> {
    let matching = Matching::new(failing, alternate);
    let projection = Projection { failing, alternate, matching: &matching };
    let reversed = projection.reversed(&difference.failing_steps).into_iter().map(|order| (order, true));
    let conflicts = conflicts(failing).into_iter().map(|order| (order, false));
    let mut suspects: Vec<Suspect> = Vec::new();
    for ((early, late), is_reversed) in reversed.chain(conflicts) {
        if let (Some(early), Some(late)) = (visit(failing, early), visit(failing, late)) {
            let order = (early.1, late.0);
            let is_new = suspects.iter().all(|known| known.order != order);
            if order.0 < order.1 && is_new && suspects.len() < MOST {
                suspects.push(Suspect { order, is_reversed });
            }
        }
    }
    suspects
}

/// Steps with the last steps of other threads before them that they conflict with, those of the step that fails first.
fn conflicts(failing: &Execution) -> Vec<(u32, u32)> {
    let step = |number: u32| &failing.steps[number as usize];
    let conflict = |one: u32, other: u32| {
        step(one).thread != step(other).thread
            && at_one_object(step(one), step(other))
            && (changes_object(step(one)) || changes_object(step(other)))
    };
    let count = failing.steps.len() as u32;
    let fails = failing_step(failing);
    let others = (count.saturating_sub(MOST_STEPS)..count).rev().filter(|late| Some(*late) != fails);
    let mut pairs = Vec::new();
    for late in fails.into_iter().chain(others) {
        let mut threads = Vec::new();
        for early in (0..late).rev().take(MOST_STEPS as usize).filter(|early| conflict(*early, late)) {
            if Some(late) == fails || !threads.contains(&step(early).thread) {
                threads.push(step(early).thread);
                pairs.push((early, late));
            }
        }
    }
    pairs
}

/// The first and the last step of the visit that a step is part of, if it is the first one of its thread to that place.
fn visit(execution: &Execution, number: u32) -> Option<(u32, u32)> {
    let step = &execution.steps[number as usize];
    let own = |other: &u32| {
        let other = &execution.steps[*other as usize];
        other.thread == step.thread && other.kind != EventKind::Commit
    };
    let is_there = |other: &u32| execution.steps[*other as usize].location == step.location;
    if step.kind == EventKind::Commit || step.location.line == 0 || step.location.file.is_empty() {
        return None;
    }
    let before: Vec<u32> = (0..number).rev().filter(own).collect();
    let first = before.iter().copied().take_while(is_there).last().unwrap_or(number);
    if before.iter().any(|other| *other < first && is_there(other)) {
        return None;
    }
    let behind = (number + 1..execution.steps.len() as u32).filter(own);
    let taken = behind.take_while(is_there).filter(|other| execution.steps[*other as usize].is_taken());
    Some((first, taken.last().unwrap_or(number)))
}

#[cfg(test)]
mod tests {
    use super::super::difference;
    use super::super::tests::execution;
    use super::*;

    #[test]
    fn what_is_the_other_way_round_is_suspected() {
        let mut failing = execution(&[(0, 'w', "stopped", None), (1, 'r', "stopped", Some(0))]);
        let mut alternate = execution(&[(1, 'r', "stopped", None), (0, 'w', "stopped", None)]);
        for step in failing.steps.iter_mut().chain(&mut alternate.steps) {
            step.location.file = "a.c".into();
        }
        let difference = difference(&failing, &alternate);
        let suspect = Suspect { order: (0, 1), is_reversed: true };
        assert_eq!(suspects(&failing, &alternate, &difference), [suspect]);
        assert_eq!(conflicts(&failing), [(0, 1)]);
    }

    #[test]
    fn steps_stand_for_first_visits() {
        let mut failing =
            execution(&[(0, 'r', "n", None), (0, 'w', "n", None), (1, 'r', "n", None), (0, 'r', "n", None)]);
        failing.steps.iter_mut().for_each(|step| step.location.file = "a.c".into());
        failing.steps[1].location = failing.steps[0].location.clone();
        assert_eq!((visit(&failing, 0), visit(&failing, 2)), (Some((0, 1)), Some((2, 2))));
        // Comes there a second time.
        failing.steps.insert(3, failing.steps[2].clone());
        failing.steps[3].location.line = 90;
        failing.steps.insert(4, failing.steps[2].clone());
        assert_eq!(visit(&failing, 4), None);
    }
}
