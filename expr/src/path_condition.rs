//! Path conditions: what must hold of the inputs for an execution to take its path.

use std::fmt;
use std::sync::Arc;

use crate::node::{BinaryOperator, Node, Term, UnaryOperator};
use crate::pool::Terms;
use crate::support::Support;

/// A persistent conjunction of truth values: a list from the newest constraint back to the oldest. A clone
/// shares everything, and a constraint added costs one link.
#[derive(Clone, Default)]
pub struct PathCondition {
    newest: Option<Arc<Link>>,
}

struct Link {
    older: Option<Arc<Link>>,
    constraint: Term,
    /// How many constraints there are from here back.
    length: u32,
    /// The symbols of all constraints from here back.
    support: Support,
}

impl Drop for Link {
    /// One link after the other: a path may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.older.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.older.take();
        }
    }
}

/// The parts of a condition that is a conjunction, or the negation of a disjunction.
fn conjuncts(terms: &Terms, condition: Term) -> Option<[Term; 2]> {
    match *terms.node(condition) {
        Node::Binary { operator: BinaryOperator::And, left, right, .. } => Some([left, right]),
        Node::Unary { operator: UnaryOperator::Not, operand, .. } => match *terms.node(operand) {
            Node::Binary { operator: BinaryOperator::Or, left, right, .. } => {
                Some([terms.not(left), terms.not(right)])
            }
            _ => None,
        },
        _ => None,
    }
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
        if let Some([first, second]) = conjuncts(terms, condition) {
            let mut open = vec![second, first];
            while let Some(condition) = open.pop() {
                match conjuncts(terms, condition) {
                    Some([first, second]) => open.extend([second, first]),
                    None => self.add_one(terms, condition),
                }
            }
        } else {
            self.add_one(terms, condition);
        }
        !self.is_contradictory()
    }

    fn add_one(&mut self, terms: &Terms, condition: Term) {
        if self.is_contradictory() {
            return;
        }
        match self.stated(terms, condition) {
            Some(true) => {}
            Some(false) => self.push(Term::FALSE, Support::EMPTY),
            None => self.push(condition, terms.support(condition)),
        }
    }

    fn push(&mut self, constraint: Term, support: Support) {
        let (length, support) = match &self.newest {
            Some(newest) => (newest.length + 1, newest.support.join(support)),
            None => (1, support),
        };
        self.newest = Some(Arc::new(Link { older: self.newest.take(), constraint, length, support }));
    }

    /// Whether it is false on its face; see [`PathCondition::add`].
    pub fn is_contradictory(&self) -> bool {
        self.newest.as_ref().is_some_and(|newest| newest.constraint == Term::FALSE)
    }

    /// The truth of a condition that is constant or was added as it stands, or whose negation was. `None` if
    /// the path says nothing.
    fn stated(&self, terms: &Terms, condition: Term) -> Option<bool> {
        if terms.is_constant(condition) {
            return Some(condition == Term::TRUE);
        }
        let support = terms.support(condition);
        let negation = terms.not(condition);
        let mut link = self.newest.as_ref();
        while let Some(present) = link.filter(|link| link.support.meets(support)) {
            if present.constraint == condition {
                return Some(true);
            }
            if present.constraint == negation {
                return Some(false);
            }
            link = present.older.as_ref();
        }
        None
    }

    /// The truth of a condition that is decided without asking a solver: it is constant, or it was added, or
    /// its negation was.
    pub fn decided(&self, terms: &Terms, condition: Term) -> Option<bool> {
        if let Some(holds) = self.stated(terms, condition) {
            return Some(holds);
        }
        self.newest.as_ref()?;
        let all_stated = |condition| {
            let mut open: Vec<Term> = conjuncts(terms, condition)?.to_vec();
            while let Some(part) = open.pop() {
                if self.stated(terms, part) != Some(true) {
                    open.extend(conjuncts(terms, part)?);
                }
            }
            Some(())
        };
        // A conjunction was added in its parts.
        match all_stated(condition) {
            Some(()) => Some(true),
            None => all_stated(terms.not(condition)).map(|()| false),
        }
    }

    /// Whether the condition was added.
    pub fn contains(&self, terms: &Terms, condition: Term) -> bool {
        self.decided(terms, condition) == Some(true)
    }

    /// The constraints, newest first, none twice, as far back as some symbol of `support` occurs.
    pub(crate) fn newest_first(&self, mut support: impl FnMut() -> Support) -> impl Iterator<Item = Term> {
        let mut link = self.newest.as_ref();
        std::iter::from_fn(move || {
            let present = link.filter(|link| link.support.meets(support()))?;
            link = present.older.as_ref();
            Some(present.constraint)
        })
    }

    /// The symbols of all constraints.
    pub fn support(&self) -> Support {
        self.newest.as_ref().map_or(Support::EMPTY, |newest| newest.support)
    }

    /// The constraints, oldest first, none twice.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Term> + use<> {
        self.to_vec().into_iter()
    }

    /// The constraints as a query, oldest first.
    pub fn to_vec(&self) -> Vec<Term> {
        let mut constraints = Vec::with_capacity(self.len());
        let mut link = self.newest.as_ref();
        while let Some(present) = link {
            constraints.push(present.constraint);
            link = present.older.as_ref();
        }
        constraints.reverse();
        constraints
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.newest.as_ref().map_or(0, |newest| newest.length as usize)
    }

    /// Whether nothing is required.
    pub fn is_empty(&self) -> bool {
        self.newest.is_none()
    }
}

/// Equal where the same constraints were added in the same order.
impl PartialEq for PathCondition {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for PathCondition {}

impl fmt::Debug for PathCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

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

    #[test]
    fn what_was_added_is_decided_whole_and_in_parts() {
        let terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.symbol(name, 1));
        let mut path = PathCondition::new();
        let either = terms.or(c, d);
        path.add(&terms, terms.and(terms.and(a, b), terms.not(either)));
        assert_eq!(path.decided(&terms, terms.and(terms.and(a, b), terms.not(either))), Some(true));
        assert_eq!(path.decided(&terms, terms.and(b, terms.not(d))), Some(true));
        assert_eq!(path.decided(&terms, either), Some(false));
        assert_eq!(path.decided(&terms, terms.not(b)), Some(false));
        assert_eq!(path.decided(&terms, terms.symbol("e", 1)), None);
        assert_eq!(PathCondition::new().decided(&terms, a), None);
    }

    #[test]
    fn a_path_longer_than_the_stack_is_deep_is_dropped() {
        let terms = Terms::new();
        let mut path = PathCondition::new();
        for number in 0..300_000 {
            // Each of its own symbol: nothing is looked for far back.
            path.push(terms.symbol(&format!("s{number}"), 1), Support::EMPTY);
        }
        let fork = path.clone();
        drop(path);
        assert_eq!(fork.len(), 300_000);
    }
}
