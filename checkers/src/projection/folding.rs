//! Spins folded: a thread that repeats the same steps over and over shows them once, with their number.

use crate::projection::limits::{FEWEST_ROUNDS, LONGEST_ROUND};
use std::collections::BTreeSet;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Flow, Remedy};

/// Folds both executions. Steps that the explanation speaks of stay.
pub fn fold(explanation: &mut Explanation) {
    let difference = &explanation.difference;
    let mut kept: BTreeSet<u32> = difference.failing_steps.iter().copied().collect();
    kept.extend(explanation.cause.orders.iter().flat_map(|(earlier, later)| [*earlier, *later]));
    kept.extend(explanation.remedies.iter().flat_map(Remedy::all_steps));
    let numbers = fold_steps(&mut explanation.failing, &kept);
    let kept: BTreeSet<u32> = difference.passing_steps.iter().copied().collect();
    let other_numbers = explanation.passing.as_mut().map(|passing| fold_steps(passing, &kept));
    let difference = &mut explanation.difference;
    renumber(&mut difference.failing_steps, &mut difference.failing_flows, &numbers);
    if let Some(numbers) = other_numbers {
        renumber(&mut difference.passing_steps, &mut difference.passing_flows, &numbers);
    }
    for (earlier, later) in &mut explanation.cause.orders {
        (*earlier, *later) = (numbers[*earlier as usize], numbers[*later as usize]);
    }
    for remedy in &mut explanation.remedies {
        remedy.steps_mut().into_iter().for_each(|step| *step = numbers[*step as usize]);
    }
}

fn renumber(steps: &mut [u32], flows: &mut [Flow], numbers: &[u32]) {
    steps.iter_mut().for_each(|step| *step = numbers[*step as usize]);
    for flow in flows {
        flow.to = numbers[flow.to as usize];
        flow.from = flow.from.map(|from| numbers[from as usize]);
    }
}

/// Folds one execution; by step, its new number (that of the round's step that represents it).
fn fold_steps(execution: &mut Execution, kept: &BTreeSet<u32>) -> Vec<u32> {
    let steps = std::mem::take(&mut execution.steps);
    let mut new_numbers: Vec<u32> = (0..steps.len() as u32).collect();
    let mut left_out = vec![0_u32; steps.len()];
    let mut from = 0;
    while from < steps.len() {
        match round(&steps, from, kept) {
            Some((length, rounds)) => {
                // The first round stays, and the last, which may end otherwise.
                let last = from + length * (rounds - 1);
                for (number, same) in new_numbers[from + length..last].iter_mut().enumerate() {
                    *same = (from + number % length) as u32;
                }
                left_out[from + length - 1] += (last - from - length) as u32;
                from = last;
            }
            None => from += 1,
        }
    }
    let mut numbers = vec![0; steps.len()];
    for (number, mut step) in steps.into_iter().enumerate() {
        let same = new_numbers[number] as usize;
        if same != number {
            numbers[number] = numbers[same];
            continue;
        }
        step.folded += left_out[number];
        step.reads_from = step.reads_from.map(|from| numbers[from as usize]);
        step.issued_by = step.issued_by.map(|from| numbers[from as usize]);
        numbers[number] = execution.steps.len() as u32;
        execution.steps.push(step);
    }
    let all = execution.steps.len() as u32;
    for returned in &mut execution.returned {
        returned.step = numbers.get(returned.step as usize).copied().unwrap_or(all);
    }
    numbers
}

/// The length of a round that begins here and comes again at once, and how often it does.
fn round(steps: &[ExecutedStep], from: usize, kept: &BTreeSet<u32>) -> Option<(usize, usize)> {
    let same = |one: &ExecutedStep, other: &ExecutedStep| {
        one.thread == other.thread
            && one.kind == other.kind
            && one.is_at_same_part(other)
            && (one.progress, one.outcome, &one.value) == (other.progress, other.outcome, &other.value)
            && one.location == other.location
            && one.reads_from == other.reads_from
            && one.issued_by.is_none()
    };
    (1..=LONGEST_ROUND).find_map(|length| {
        let is_one_thread = |round: &[ExecutedStep]| round.iter().all(|step| step.thread == round[0].thread);
        let first = steps.get(from..from + length).filter(|round| is_one_thread(round))?;
        let rounds = steps[from..]
            .chunks_exact(length)
            .take_while(|round| round.iter().zip(first).all(|(step, first)| same(step, first)));
        let rounds = rounds.count();
        let inside =
            (from + length) as u32..(from + length * rounds.saturating_sub(1)).max(from + length) as u32;
        (rounds > FEWEST_ROUNDS && kept.range(inside).next().is_none()).then_some((length, rounds))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::execution;
    use super::*;

    #[test]
    fn a_thread_that_spins_shows_two_rounds() {
        let mut steps = vec![(1, 'r', "flag", None); 10];
        steps.extend([(0, 'w', "flag", None), (1, 'r', "flag", Some(10))]);
        let mut spinning = execution(&steps);
        spinning.steps.iter_mut().for_each(|step| step.location.line = 3);
        let numbers = fold_steps(&mut spinning, &BTreeSet::new());
        assert_eq!(spinning.steps.len(), 4);
        assert_eq!(spinning.steps[0].folded, 8);
        assert_eq!(spinning.steps[3].reads_from, Some(2));
        assert_eq!(numbers, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn steps_that_are_spoken_of_stay() {
        let mut spinning = execution(&[(1, 'r', "flag", None); 10]);
        spinning.steps.iter_mut().for_each(|step| step.location.line = 3);
        fold_steps(&mut spinning, &BTreeSet::from([5]));
        assert!(spinning.steps.len() > 4);
    }
}
