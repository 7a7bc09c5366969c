//! Independent slices: constraints that share no symbol, directly or through others, are asked about
//! apart. The slices are small, and most of them were answered before.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Answer, Model, Solver, SolverStatistics};
use crate::{Assignment, PathCondition, StopReason, StopToken, SymbolSets, Term, Terms};

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

/// After how many constraints of a path the search for those that matter asks whether it is to go on: some
/// microseconds.
const CONSTRAINTS_BETWEEN: usize = 1 << 12;

/// The constraints of a path that share symbols with `about`, directly or through others; oldest first.
pub(super) fn connected(
    terms: &Terms,
    symbols: &mut SymbolSets,
    path: &PathCondition,
    about: Term,
    stop: &StopToken,
) -> Result<Vec<Term>, StopReason> {
    // Where supports do not distinguish all symbols, those that overlap are compared symbol by symbol.
    let exact = terms.supports_are_exact();
    let mut names: FxHashSet<Term> = FxHashSet::default();
    if !exact {
        names.extend(symbols.symbols(terms, about).iter());
    }
    let reached = Cell::new(terms.support(about));
    // Which of the path's constraints, counted from the newest, are found.
    let mut taken: Vec<bool> = Vec::new();
    let mut found: Vec<(usize, Term)> = Vec::new();
    // A constraint may connect others that were passed by before: until a round finds nothing new.
    loop {
        let before = found.len();
        for (place, constraint) in path.newest_first(|| reached.get()).enumerate() {
            if place % CONSTRAINTS_BETWEEN == CONSTRAINTS_BETWEEN - 1 {
                stop.check()?;
            }
            if taken.len() == place {
                taken.push(false);
            }
            let support = terms.support(constraint);
            if taken[place] || !support.meets(reached.get()) {
                continue;
            }
            if !exact {
                let own = symbols.symbols(terms, constraint);
                if !own.iter().any(|symbol| names.contains(symbol)) {
                    continue;
                }
                names.extend(own.iter());
            }
            taken[place] = true;
            found.push((place, constraint));
            reached.set(reached.get().join(support));
        }
        if found.len() == before {
            break;
        }
    }
    found.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.0));
    Ok(found.into_iter().map(|(_, constraint)| constraint).collect())
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

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        self.slices += 1;
        self.below.check_connected(constraints)
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
