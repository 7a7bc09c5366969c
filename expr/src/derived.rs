//! Properties of terms that follow from those of their operands.

use crate::node::Term;
use crate::pool::Terms;
use rustc_hash::FxHashMap;

/// A property of terms, remembered for each term that was met: those that share most of their operands, as
/// the conditions of one path do, are looked at once.
#[derive(Debug)]
pub struct Derived<T> {
    known: FxHashMap<Term, T>,
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self { known: FxHashMap::default() }
    }
}

impl<T: Copy> Derived<T> {
    /// The property of `term`. `derive` says which one a term has by itself, and by those of its operands.
    pub fn of(
        &mut self,
        terms: &Terms,
        term: Term,
        derive: impl Fn(Term, &mut dyn Iterator<Item = T>) -> T,
    ) -> T {
        let mut open = vec![term];
        while let Some(current) = open.last().copied() {
            if self.known.contains_key(&current) {
                open.pop();
                continue;
            }
            let (node, waiting) = (terms.node(current), open.len());
            open.extend(node.operands().filter(|operand| !self.known.contains_key(operand)));
            if open.len() == waiting {
                let property = derive(current, &mut node.operands().map(|operand| self.known[&operand]));
                self.known.insert(current, property);
            }
        }
        self.known[&term]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_long_chain_is_looked_at_once() {
        let terms = Terms::new();
        let mut depths = Derived::default();
        let looks = Cell::new(0);
        let depth = |_: Term, operands: &mut dyn Iterator<Item = u32>| {
            looks.set(looks.get() + 1);
            operands.max().map_or(0, |depth| depth + 1)
        };
        let mut chain = terms.symbol("input", 32);
        for number in 1..2_000 {
            chain = terms.multiply(terms.add(chain, terms.symbol(&format!("{number}"), 32)), chain);
            assert_eq!(depths.of(&terms, chain, depth), 2 * number);
        }
        // A symbol, and in each round a symbol, a sum and a product.
        assert_eq!(looks.get(), 1 + 3 * 1_999);
    }
}
