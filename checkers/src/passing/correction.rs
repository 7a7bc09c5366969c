//! The fewest wishes to drop so that there is an execution: implicit hitting sets over an incremental engine.
//!
//! Wishes are assumed. Each core, minimised, says that one of its members has to go. The smallest set with a
//! member of every known core is dropped next. Once an engine finds an execution, no smaller set could have
//! done. (The costs looked for are small: a failure seldom hangs on more than a few data flows.)

use crate::passing::limits::{MOST_SETS, MOST_SHRINKING};
use crate::synthesis::{Answer, Engine, Literal, Model, Unknown};
use symx_expr::StopToken;

/// The result of dropping wishes.
#[derive(Debug)]
pub(super) enum Correction {
    /// An execution with the fewest wishes dropped.
    Fewest(Model, usize),
    /// No execution at all, whatever is dropped.
    Impossible,
    /// Not known: stopped, or the engine did not finish, for this reason.
    Stopped(Unknown),
}

/// Drops as few wishes as possible, where all of `always` holds.
pub(super) fn drop_fewest(
    engine: &mut dyn Engine,
    wishes: &[Literal],
    always: &[Literal],
    stop: &StopToken,
) -> Correction {
    let mut cores: Vec<Vec<usize>> = Vec::new();
    loop {
        let Some(dropped) = smallest_hitting_set(&cores) else {
            return Correction::Stopped(Unknown::ManyContradictions);
        };
        if let Some(reason) = stop.reason() {
            return Correction::Stopped(reason.into());
        }
        let kept = (0..wishes.len()).filter(|wish| !dropped.contains(wish)).map(|wish| wishes[wish]);
        let kept: Vec<Literal> = always.iter().copied().chain(kept).collect();
        match engine.solve(&kept) {
            Answer::Model(model) => return Correction::Fewest(model, dropped.len()),
            Answer::Core(core) if core.is_empty() => return Correction::Impossible,
            Answer::Core(core) => {
                let mut core = shrink(engine, core, stop);
                core.retain(|literal| !always.contains(literal));
                if core.is_empty() {
                    return Correction::Impossible;
                }
                let place = |literal| wishes.iter().position(|wish| *wish == literal);
                cores.push(core.into_iter().filter_map(place).collect());
            }
            Answer::Unknown(reason) => return Correction::Stopped(reason),
        }
    }
}

/// Leaves out members that are not needed.
fn shrink(engine: &mut dyn Engine, mut core: Vec<Literal>, stop: &StopToken) -> Vec<Literal> {
    let (mut next, mut calls) = (0, 0);
    while next < core.len() && calls < MOST_SHRINKING && !stop.is_over() {
        let mut rest = core.clone();
        rest.remove(next);
        calls += 1;
        match engine.solve(&rest) {
            Answer::Core(smaller) => core.retain(|literal| smaller.contains(literal)),
            _ => next += 1,
        }
    }
    core
}

/// How many of the cores have no member in common, taken greedily: a lower bound.
fn disjoint(cores: &[Vec<usize>]) -> usize {
    let mut taken: Vec<&Vec<usize>> = Vec::new();
    for core in cores {
        if taken.iter().all(|other| other.iter().all(|wish| !core.contains(wish))) {
            taken.push(core);
        }
    }
    taken.len()
}

/// A smallest set with a member of every core; `None` if that takes too long to find.
fn smallest_hitting_set(cores: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut left = MOST_SETS;
    (disjoint(cores)..=cores.len()).find_map(|most| {
        let mut chosen = Vec::new();
        match hit(cores, most, &mut chosen, &mut left) {
            _ if left == 0 => Some(None),
            true => Some(Some(chosen)),
            false => None,
        }
    })?
}

/// Extends `chosen` by at most `most` members so that every core is hit.
fn hit(cores: &[Vec<usize>], most: usize, chosen: &mut Vec<usize>, left: &mut u64) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let open: Vec<&Vec<usize>> =
        cores.iter().filter(|core| !core.iter().any(|wish| chosen.contains(wish))).collect();
    let Some(smallest) = open.iter().min_by_key(|core| core.len()) else { return true };
    if most == 0 {
        return false;
    }
    // Those in many cores first.
    let mut members: Vec<usize> = smallest.to_vec();
    members.sort_by_key(|wish| std::cmp::Reverse(open.iter().filter(|core| core.contains(wish)).count()));
    for wish in members {
        chosen.push(wish);
        if hit(cores, most - 1, chosen, left) {
            return true;
        }
        chosen.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_every_core_and_no_more() {
        assert_eq!(smallest_hitting_set(&[]), Some(vec![]));
        assert_eq!(smallest_hitting_set(&[vec![1, 2], vec![2, 3]]), Some(vec![2]));
        assert_eq!(smallest_hitting_set(&[vec![1], vec![2, 3], vec![3, 1]]).map(|set| set.len()), Some(2));
        let triangle = [vec![0, 1], vec![1, 2], vec![0, 2]];
        assert_eq!(smallest_hitting_set(&triangle).map(|set| set.len()), Some(2));
    }
}
