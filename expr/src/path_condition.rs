//! Path conditions: what must hold of the inputs for an execution to take its path.

use imbl::Vector;

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;

/// A persistent conjunction of truth values; a clone shares everything.
#[derive(Clone, Debug, Default)]
pub struct PathCondition {
    constraints: Vector<Term>,
    members: imbl::HashSet<Term>,
    contradictory: bool,
}

impl PathCondition {
    /// The condition of the empty path: true.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a condition of width 1. Conjunctions are taken apart, what is known is left out.
    ///
    /// Returns false if the path condition is now false on its face: it holds the constant false, or a
    /// condition and its negation. True does not mean satisfiable.
    pub fn add(&mut self, terms: &Terms, condition: Term) -> bool {
        assert_eq!(terms.width(condition), 1, "a condition has width 1");
        let mut open = vec![condition];
        while let Some(condition) = open.pop() {
            if condition == Term::TRUE || self.members.contains(&condition) {
                continue;
            }
            match *terms.node(condition) {
                Node::Binary { operator: BinaryOperator::And, left, right, .. } => open.extend([right, left]),
                Node::Unary { operator: UnaryOperator::Not, operand, .. }
                    if let Node::Binary { operator: BinaryOperator::Or, left, right, .. } =
                        *terms.node(operand) =>
                {
                    open.extend([terms.not(right), terms.not(left)]);
                }
                _ => {
                    self.contradictory |=
                        condition == Term::FALSE || self.members.contains(&terms.not(condition));
                    self.members.insert(condition);
                    self.constraints.push_back(condition);
                }
            }
        }
        !self.contradictory
    }

    /// Whether it is false on its face; see [`PathCondition::add`].
    pub fn is_contradictory(&self) -> bool {
        self.contradictory
    }

    /// Whether the condition was added, as it stands.
    pub fn contains(&self, condition: Term) -> bool {
        condition == Term::TRUE || self.members.contains(&condition)
    }

    /// The constraints, oldest first, none twice.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Term> + '_ {
        self.constraints.iter().copied()
    }

    /// The constraints as a query.
    pub fn to_vec(&self) -> Vec<Term> {
        self.iter().collect()
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    /// Whether nothing is required.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }
}

/// Equal where the same constraints were added in the same order.
impl PartialEq for PathCondition {
    fn eq(&self, other: &Self) -> bool {
        self.constraints == other.constraints
    }
}

impl Eq for PathCondition {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_split_and_repeats_vanish() {
        let terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.symbol(name, 1));
        let mut path = PathCondition::new();
        assert!(path.add(&terms, terms.and(a, b)));
        assert!(path.add(&terms, b));
        assert!(path.add(&terms, Term::TRUE));
        assert_eq!(path.to_vec(), [a, b]);
        let before = path.clone();
        assert!(path.add(&terms, terms.not(terms.or(c, terms.not(a)))));
        assert_eq!(path.to_vec(), [a, b, terms.not(c)]);
        assert_eq!(before.len(), 2);
        assert!(!path.add(&terms, c));
        assert!(path.is_contradictory() && !before.is_contradictory());
        assert!(!before.clone().add(&terms, Term::FALSE));
    }
}
