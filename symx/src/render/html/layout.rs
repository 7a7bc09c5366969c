//! Which step stands beside which.

use crate::render::sentences::location_of;
use std::collections::HashMap;
use symx_ir::program::is_library_source;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation};
use symx_trace::{EventKind, ThreadName};

/// A row: a step of the failing execution, of the passing one, or the same step of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The failing execution's step.
    pub failing: Option<u32>,
    /// The passing one's.
    pub passing: Option<u32>,
}

impl Row {
    /// Its steps, and the executions that they are of.
    pub fn steps(
        self,
        explanation: &Explanation,
    ) -> impl Iterator<Item = (&Execution, &ExecutedStep)> + use<'_> {
        let failing = self.failing.map(|step| (&explanation.failing, step));
        let passing = self.passing.and_then(|step| Some((explanation.passing.as_ref()?, step)));
        failing
            .into_iter()
            .chain(passing)
            .map(|(execution, step)| (execution, &execution.steps[step as usize]))
    }

    /// Whether a step of it is at a line of the program. What a library does where the program did not call
    /// it says little, as at the end of a thread.
    pub fn is_of_program(self, explanation: &Explanation) -> bool {
        self.steps(explanation)
            .any(|(execution, step)| !is_library_source(&location_of(execution, step).file))
    }
}

/// Beyond this many pairs of steps that might stand side by side, none are looked for.
const MOST_PAIRS: usize = 1 << 22;

/// The rows of an explanation: equal steps stand side by side where that keeps both orders.
pub fn rows(explanation: &Explanation) -> Vec<Row> {
    let failing = &explanation.failing;
    let Some(passing) = &explanation.passing else {
        let only = |step| Row { failing: Some(step), passing: None };
        return (0..failing.steps.len() as u32).map(only).collect();
    };
    let mut known = HashMap::new();
    let left = identities(failing, &mut known);
    let right = identities(passing, &mut known);
    let prefix = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
    let suffix = left[prefix..].iter().rev().zip(right[prefix..].iter().rev());
    let suffix = suffix.take_while(|(one, other)| one == other).count();
    let both = |one: usize, other: usize| Row { failing: Some(one as u32), passing: Some(other as u32) };
    let mut rows: Vec<Row> = (0..prefix).map(|at| both(at, at)).collect();
    let (left_end, right_end) = (left.len() - suffix, right.len() - suffix);
    rows.extend(middle(&left[prefix..left_end], &right[prefix..right_end], prefix as u32));
    rows.extend((0..suffix).map(|at| both(left_end + at, right_end + at)));
    rows
}

type Identity<'a> = (&'a ThreadName, &'a EventKind, &'a str, &'a str, u32);

/// A number for each step: the same for the same operation of the same thread.
fn identities<'a>(execution: &'a Execution, known: &mut HashMap<Identity<'a>, u32>) -> Vec<u32> {
    let identity = |step: &'a ExecutedStep| {
        let name = &execution.threads[step.thread as usize].name;
        (name, &step.kind, &*step.object, &*step.location.file, step.location.line)
    };
    let mut number = |step| {
        let next = known.len() as u32;
        *known.entry(identity(step)).or_insert(next)
    };
    execution.steps.iter().map(&mut number).collect()
}

/// The longest common subsequence side by side, the rest in between; both begin at step `start`.
fn middle(left: &[u32], right: &[u32], start: u32) -> Vec<Row> {
    let failing = |at: usize| Row { failing: Some(start + at as u32), passing: None };
    let passing = |at: usize| Row { failing: None, passing: Some(start + at as u32) };
    let width = right.len() + 1;
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return (0..left.len()).map(failing).chain((0..right.len()).map(passing)).collect();
    }
    // How long a common subsequence of the rests is.
    let mut longest = vec![0_u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            longest[i * width + j] = if left[i] == right[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut rows = Vec::new();
    while i < left.len() || j < right.len() {
        let (down, along) = (
            (i < left.len()).then(|| longest[(i + 1) * width + j]),
            (j < right.len()).then(|| longest[i * width + j + 1]),
        );
        if i < left.len() && j < right.len() && left[i] == right[j] {
            rows.push(Row { passing: passing(j).passing, ..failing(i) });
            (i, j) = (i + 1, j + 1);
        } else if down >= along {
            rows.push(failing(i));
            i += 1;
        } else {
            rows.push(passing(j));
            j += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::example::lost_update;
    use super::super::folds::folds;
    use super::*;

    fn row(failing: impl Into<Option<u32>>, passing: impl Into<Option<u32>>) -> Row {
        Row { failing: failing.into(), passing: passing.into() }
    }

    #[test]
    fn equal_steps_stand_side_by_side() {
        let explanation = lost_update();
        let expected = [row(0, 0), row(1, None), row(2, 1), row(None, 2), row(3, 3), row(4, 4)];
        let found = rows(&explanation);
        assert_eq!(found, expected);
        assert_eq!(folds(&explanation, &found), []);
        let alone = Explanation { passing: None, ..explanation };
        assert_eq!(rows(&alone).len(), 5);
    }

    #[test]
    fn what_cannot_be_compared_stands_one_after_the_other() {
        let (left, right) = (vec![1; 3000], vec![2; 3000]);
        let rows = middle(&left, &right, 7);
        assert_eq!((rows.len(), rows[0], rows[3000]), (6000, row(7, None), row(None, 7)));
    }
}
