//! Assignments of values to symbols: the models solvers answer with.

use rustc_hash::FxHashMap;

use crate::node::Term;
use crate::values::bitvector::BitVector;

/// Values for symbols. A symbol without an entry has the value zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: FxHashMap<Term, BitVector>,
}

impl Assignment {
    /// No entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value assigned to a symbol, if any.
    pub fn get(&self, symbol: Term) -> Option<&BitVector> {
        self.values.get(&symbol)
    }

    /// Assigns a value to a symbol, whose width the value must have.
    pub fn set(&mut self, symbol: Term, value: BitVector) {
        self.values.insert(symbol, value);
    }

    /// Takes over all entries of another assignment; where both have one, the other's.
    pub fn extend(&mut self, other: &Assignment) {
        self.values.extend(other.values.iter().map(|(symbol, value)| (*symbol, value.clone())));
    }

    /// How many symbols have an entry.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no symbol has an entry.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All entries in the order of the symbols' identities.
    pub fn entries(&self) -> Vec<(Term, &BitVector)> {
        let mut entries: Vec<_> = self.values.iter().map(|(symbol, value)| (*symbol, value)).collect();
        entries.sort_unstable_by_key(|(symbol, _)| *symbol);
        entries
    }
}

impl FromIterator<(Term, BitVector)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (Term, BitVector)>>(entries: I) -> Self {
        Assignment { values: entries.into_iter().collect() }
    }
}
