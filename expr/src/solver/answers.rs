//! Memoised answers by set of constraints: a question about a slice of a path is not asked again.

use rustc_hash::FxHashMap;

use super::{Answer, Model};
use crate::Term;

/// How many answers are kept; beyond, all are dropped.
const MOST_ANSWERS: usize = 1 << 16;

/// The fingerprint of a set of constraints: the sum of 128 mixed bits of each. So the order in which a set
/// was put together does not matter, and one more constraint is one addition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Fingerprint(u128);

/// 64 bits that all depend on all of `seed`'s (the finaliser of SplitMix64).
fn mixed(seed: u64) -> u64 {
    let seed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ seed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ seed >> 31
}

impl Fingerprint {
    /// The fingerprint of the set with one more constraint.
    pub(super) fn with(self, constraint: Term) -> Fingerprint {
        let number = u64::from(constraint.number());
        let high = mixed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let low = mixed(number ^ 0xd1b5_4a32_d192_ed03);
        Fingerprint(self.0.wrapping_add(u128::from(high) << 64 | u128::from(low)))
    }
}

/// The answers.
#[derive(Debug, Default)]
pub(super) struct Answers {
    known: FxHashMap<Fingerprint, Option<Model>>,
}

impl Answers {
    /// The answer for a set, if it was given.
    pub(super) fn get(&self, set: Fingerprint) -> Option<Answer> {
        let known = self.known.get(&set)?;
        Some(known.clone().map_or(Answer::Unsat, Answer::Sat))
    }

    /// A model of the set, if one was found.
    pub(super) fn model(&self, set: Fingerprint) -> Option<Model> {
        self.known.get(&set)?.clone()
    }

    /// Notes an answer. An unknown answer is not kept: another time there may be more time.
    pub(super) fn insert(&mut self, set: Fingerprint, answer: &Answer) {
        let known = match answer {
            Answer::Sat(model) => Some(model.clone()),
            Answer::Unsat => None,
            Answer::Unknown(_) => return,
        };
        if self.known.len() >= MOST_ANSWERS {
            self.known.clear();
        }
        self.known.insert(set, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn sets_of_three_differ_and_order_does_not_matter() {
        let terms: Vec<Term> = (1..60).map(Term::from_number).collect();
        let mut seen = FxHashSet::default();
        for (i, a) in terms.iter().enumerate() {
            for (j, b) in terms[..i].iter().enumerate() {
                for c in &terms[..j] {
                    let set = Fingerprint::default().with(*a).with(*b).with(*c);
                    assert_eq!(set, Fingerprint::default().with(*c).with(*a).with(*b));
                    assert!(seen.insert(set));
                }
            }
        }
    }
}
