//! The counterexample cache (after KLEE): earlier answers and models settle most queries.
//!
//! - The same set of constraints has the same answer.
//! - A set that contains an unsatisfiable set is unsatisfiable.
//! - A model that satisfies all constraints answers, whatever it was found for; a superset's model does.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Answer, Model, Solver, SolverStatistics};
use crate::{Evaluator, Term, Terms};

/// Bounds on what the cache keeps and tries.
#[derive(Clone, Copy, Debug)]
pub struct CounterexampleLimits {
    /// How many recent models are tried on every query.
    pub models: usize,
    /// How many answers are kept; beyond, all are dropped.
    pub answers: usize,
}

impl Default for CounterexampleLimits {
    fn default() -> Self {
        CounterexampleLimits { models: 16, answers: 1 << 16 }
    }
}

/// Remembers answers and models.
#[derive(Debug)]
pub struct Counterexamples<S> {
    terms: Arc<Terms>,
    limits: CounterexampleLimits,
    below: S,
    answers: FxHashMap<Box<[Term]>, Option<Model>>,
    /// Unsatisfiable sets, in order, under their newest constraint.
    unsatisfiable: FxHashMap<Term, Vec<Box<[Term]>>>,
    /// The latest model under which a constraint held.
    satisfied_by: FxHashMap<Term, Model>,
    /// Most recently useful first.
    recent: VecDeque<Model>,
    hits: u64,
}

/// Whether all of `part` is in `whole`; both in order.
fn is_subset(part: &[Term], whole: &[Term]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|term| rest.any(|other| other == term))
}

impl<S: Solver> Counterexamples<S> {
    /// An empty cache above `below`.
    pub fn new(terms: Arc<Terms>, limits: CounterexampleLimits, below: S) -> Self {
        Counterexamples {
            terms,
            limits,
            below,
            answers: FxHashMap::default(),
            unsatisfiable: FxHashMap::default(),
            satisfied_by: FxHashMap::default(),
            recent: VecDeque::new(),
            hits: 0,
        }
    }

    fn satisfies(&self, model: &Model, constraints: &[Term]) -> bool {
        let mut evaluator = Evaluator::new(&self.terms, model);
        // The newest constraint is the likeliest to fail.
        constraints.iter().rev().all(|constraint| evaluator.is_true(*constraint))
    }

    fn look_up(&mut self, key: &[Term]) -> Option<Answer> {
        if let Some(answer) = self.answers.get(key) {
            return Some(answer.clone().map_or(Answer::Unsat, Answer::Sat));
        }
        let contains_unsatisfiable = key.iter().any(|newest| {
            self.unsatisfiable.get(newest).is_some_and(|sets| sets.iter().any(|set| is_subset(set, key)))
        });
        if contains_unsatisfiable {
            return Some(Answer::Unsat);
        }
        let newest = key.last().and_then(|newest| self.satisfied_by.get(newest)).cloned();
        if let Some(model) = newest.filter(|model| self.satisfies(model, key)) {
            return Some(Answer::Sat(model));
        }
        let found = self.recent.iter().position(|model| self.satisfies(model, key))?;
        let model = self.recent.remove(found)?;
        self.recent.push_front(model.clone());
        Some(Answer::Sat(model))
    }

    fn remember(&mut self, key: Box<[Term]>, answer: &Answer) {
        if self.answers.len() >= self.limits.answers {
            self.answers.clear();
            self.unsatisfiable.clear();
            self.satisfied_by.clear();
        }
        match answer {
            Answer::Sat(model) => {
                for constraint in &key {
                    self.satisfied_by.insert(*constraint, model.clone());
                }
                self.answers.insert(key, Some(model.clone()));
            }
            Answer::Unsat => {
                if let Some(newest) = key.last() {
                    self.unsatisfiable.entry(*newest).or_default().push(key.clone());
                }
                self.answers.insert(key, None);
            }
            // Another time there may be more time.
            Answer::Unknown(_) => {}
        }
    }
}

impl<S: Solver> Solver for Counterexamples<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        let mut key = constraints.to_vec();
        key.sort_unstable();
        key.dedup();
        let key: Box<[Term]> = key.into();
        let known = self.look_up(&key);
        self.hits += u64::from(known.is_some());
        let answer = known.unwrap_or_else(|| {
            // In the order of the path, which the solver below may know a prefix of.
            let answer = self.below.check(constraints);
            if let Answer::Sat(model) = &answer {
                self.recent.push_front(model.clone());
                self.recent.truncate(self.limits.models);
            }
            answer
        });
        if !self.answers.contains_key(&key) {
            self.remember(key, &answer);
        }
        answer
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics { cache_hits: self.hits, ..self.below.statistics() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BitVector;

    /// Answers by a script and counts what it is asked.
    struct Scripted(Vec<Answer>, u64);

    impl Solver for Scripted {
        fn check(&mut self, _: &[Term]) -> Answer {
            self.1 += 1;
            self.0.remove(0)
        }

        fn statistics(&self) -> SolverStatistics {
            SolverStatistics { solver_queries: self.1, ..SolverStatistics::default() }
        }
    }

    #[test]
    fn subsets_supersets_and_models_are_reused() {
        let terms = Arc::new(Terms::new());
        let (x, y) = (terms.symbol("x", 8), terms.symbol("y", 8));
        let below = |bound| terms.unsigned_less(x, terms.constant(8, bound));
        let above = terms.unsigned_less(terms.constant(8, 20), x);
        let unrelated = terms.equal(y, terms.constant(8, 1));
        let model: Model = Arc::new([(x, BitVector::from_u64(8, 5))].into_iter().collect());
        let script =
            Scripted(vec![Answer::Unsat, Answer::Sat(model.clone()), Answer::Unknown("timeout".into())], 0);
        let mut cache = Counterexamples::new(terms.clone(), CounterexampleLimits::default(), script);
        assert_eq!(cache.check(&[below(10), above]), Answer::Unsat);
        assert_eq!(cache.check(&[above, below(10)]), Answer::Unsat);
        assert_eq!(cache.check(&[unrelated, above, below(10)]), Answer::Unsat);
        assert_eq!(cache.check(&[below(30)]), Answer::Sat(model.clone()));
        assert_eq!(cache.check(&[below(30), below(6)]), Answer::Sat(model));
        assert_eq!(cache.statistics().solver_queries, 2);
        assert_eq!(cache.statistics().cache_hits, 3);
        assert_eq!(cache.check(&[above]), Answer::Unknown("timeout".into()));
    }
}
