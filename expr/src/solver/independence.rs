//! Independent slices: constraints that share no symbol, directly or through others, are asked about
//! apart. The slices are small, and most of them were answered before.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Answer, Model, Solver, SolverStatistics};
use crate::{Assignment, SymbolSets, Term, Terms};

/// Splits queries into connected components of constraints and joins the components' models.
#[derive(Debug)]
pub struct Independence<S> {
    terms: Arc<Terms>,
    below: S,
    symbols: SymbolSets,
    slices: u64,
}

impl<S: Solver> Independence<S> {
    /// A layer above `below`.
    pub fn new(terms: Arc<Terms>, below: S) -> Self {
        Independence { terms, below, symbols: SymbolSets::new(), slices: 0 }
    }
}

/// Representative of a class, halving the path on the way.
fn root(parents: &mut [usize], mut element: usize) -> usize {
    while parents[element] != element {
        parents[element] = parents[parents[element]];
        element = parents[element];
    }
    element
}

/// The constraints by connected component, in the order of each component's first constraint.
pub(super) fn components(terms: &Terms, symbols: &mut SymbolSets, constraints: &[Term]) -> Vec<Vec<Term>> {
    let mut parents: Vec<usize> = (0..constraints.len()).collect();
    let mut owner: FxHashMap<Term, usize> = FxHashMap::default();
    for (index, constraint) in constraints.iter().enumerate() {
        for symbol in symbols.symbols(terms, *constraint).iter() {
            let other = *owner.entry(*symbol).or_insert(index);
            let (one, other) = (root(&mut parents, index), root(&mut parents, other));
            // The older one stays, so that a component is named by its first constraint.
            parents[one.max(other)] = one.min(other);
        }
    }
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    let mut components: Vec<Vec<Term>> = Vec::new();
    for (index, constraint) in constraints.iter().enumerate() {
        let place = *places.entry(root(&mut parents, index)).or_insert(components.len());
        if place == components.len() {
            components.push(Vec::new());
        }
        components[place].push(*constraint);
    }
    components
}

impl<S: Solver> Solver for Independence<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        let slices = components(&self.terms, &mut self.symbols, constraints);
        if let [_] = slices.as_slice() {
            self.slices += 1;
            return self.below.check(constraints);
        }
        let mut joined = Assignment::new();
        let mut unknown = None;
        for slice in slices {
            self.slices += 1;
            match self.below.check(&slice) {
                Answer::Sat(model) => {
                    // A cached model may speak of other slices' symbols; only this slice's count.
                    for constraint in &slice {
                        for symbol in self.symbols.symbols(&self.terms, *constraint).iter() {
                            if let Some(value) = model.get(*symbol) {
                                joined.set(*symbol, value.clone());
                            }
                        }
                    }
                }
                Answer::Unsat => return Answer::Unsat,
                // One slice that cannot hold still settles the query.
                Answer::Unknown(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or_else(|| Answer::Sat(Model::new(joined)), Answer::Unknown)
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics { slices: self.slices, ..self.below.statistics() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_join_through_shared_symbols() {
        let terms = Terms::new();
        let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| terms.symbol(name, 8));
        let less = |x, y| terms.unsigned_less(x, y);
        let constraints = [less(a, b), less(c, d), less(e, terms.constant(8, 5)), less(b, a), less(d, b)];
        let components = components(&terms, &mut SymbolSets::new(), &constraints);
        let [ab, cd, e, ba, db] = constraints;
        assert_eq!(components, [vec![ab, cd, ba, db], vec![e]]);
    }
}
