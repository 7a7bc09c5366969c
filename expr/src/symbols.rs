//! Which symbols a term contains.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::{Node, Term};
use crate::pool::Terms;

/// The symbols of terms, remembered for every term that was asked about.
///
/// Path conditions grow by terms over earlier ones: a walk stops at every term already known.
#[derive(Debug, Default)]
pub struct SymbolSets {
    known: FxHashMap<Term, Arc<[Term]>>,
}

impl SymbolSets {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbols of a term in order of identity, each once.
    pub fn symbols(&mut self, terms: &Terms, term: Term) -> Arc<[Term]> {
        if let Some(symbols) = self.known.get(&term) {
            return symbols.clone();
        }
        let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut open = vec![term];
        while let Some(current) = open.pop() {
            if !seen.insert(current) {
                continue;
            }
            if let Some(symbols) = self.known.get(&current) {
                found.extend(symbols.iter().copied());
                continue;
            }
            let node = terms.node(current);
            if matches!(node, Node::Symbol { .. }) {
                found.insert(current);
            }
            open.extend(node.operands());
        }
        let mut symbols: Vec<Term> = found.into_iter().collect();
        symbols.sort_unstable();
        let symbols: Arc<[Term]> = symbols.into();
        self.known.insert(term, symbols.clone());
        symbols
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_once_in_order() {
        let terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.symbol(name, 8));
        let sum = terms.add(terms.multiply(z, x), terms.unsigned_divide(x, y));
        let mut sets = SymbolSets::new();
        assert_eq!(*sets.symbols(&terms, terms.multiply(z, x)), [x, z]);
        assert_eq!(*sets.symbols(&terms, sum), [x, y, z]);
        assert!(sets.symbols(&terms, Term::TRUE).is_empty());
    }
}
