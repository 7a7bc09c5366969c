//! The pool of terms: interning, and reading nodes back.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::node::{Node, Term};
use crate::segments::Segments;
use crate::support::Support;
use crate::values::bitvector::BitVector;

const SHARD_BITS: u32 = 6;

/// An interned term with the part of its hash that the shard's table needs.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    term: Term,
}

/// A node with what is known of it from the start.
struct Interned {
    node: Node,
    support: Support,
    /// The number of its complement, once that was asked for: every branch asks for it several times.
    complement: AtomicU32,
}

/// An append-only pool of terms, shared between workers by reference.
///
/// Terms are never freed: a pool lives for one exploration. A [`Term`] may be used only with the pool
/// that made it; elsewhere it names another term or none (then the pool panics).
pub struct Terms {
    nodes: Segments<Interned>,
    length: AtomicU32,
    symbols: AtomicU32,
    shards: Box<[Mutex<HashTable<Entry>>]>,
    /// Whether there is an indeterminate symbol: while there is none, no term need be searched for one.
    indeterminate: AtomicBool,
}

/// Spreads the 32 stored bits over what the hash table looks at (its low bits and its top seven).
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hash of a node, from parts so that a lookup needs no allocated key.
fn hash_of(discriminant: u8, width: u32, parts: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    (u32::from(discriminant) << 24 ^ width).hash(&mut hasher);
    parts.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Terms {
    /// A pool that holds the two truth values and nothing else.
    pub fn new() -> Self {
        let shards = (0..1 << SHARD_BITS).map(|_| Mutex::default()).collect();
        let terms = Terms {
            nodes: Segments::new(),
            length: AtomicU32::new(0),
            symbols: AtomicU32::new(0),
            shards,
            indeterminate: AtomicBool::new(false),
        };
        for value in [0, 1] {
            terms.intern(Node::Constant { width: 1, value });
        }
        terms
    }

    /// How many distinct terms the pool holds.
    pub fn len(&self) -> usize {
        self.length.load(Ordering::Relaxed) as usize
    }

    /// Never: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The node of a term. Takes no lock.
    ///
    /// # Panics
    /// If the term was made by another pool and this one has no such index.
    pub fn node(&self, term: Term) -> &Node {
        &self.interned(term).node
    }

    fn interned(&self, term: Term) -> &Interned {
        self.nodes.get(term.index()).expect("a term is read from the pool that made it")
    }

    /// Which symbols the term may contain. Takes no lock.
    pub fn support(&self, term: Term) -> Support {
        self.interned(term).support
    }

    /// Whether supports distinguish all symbols of this pool.
    pub fn supports_are_exact(&self) -> bool {
        self.symbol_count() <= 64
    }

    /// The support of several terms together.
    pub fn joint_support(&self, terms: impl IntoIterator<Item = Term>) -> Support {
        terms.into_iter().fold(Support::EMPTY, |all, term| all.join(self.support(term)))
    }

    /// The complement of a term, made by `make` if this is the first time that it is asked for.
    pub(crate) fn complement(&self, term: Term, make: impl FnOnce() -> Term) -> Term {
        let known = &self.interned(term).complement;
        match known.load(Ordering::Acquire) {
            0 => {
                let complement = make();
                known.store(complement.number(), Ordering::Release);
                complement
            }
            number => Term::from_number(number),
        }
    }

    /// How many symbols were made.
    pub fn symbol_count(&self) -> u32 {
        self.symbols.load(Ordering::Relaxed)
    }

    /// Width of a term in bits.
    pub fn width(&self, term: Term) -> u32 {
        self.node(term).width()
    }

    /// The value of a constant of at most 64 bits.
    pub fn as_constant(&self, term: Term) -> Option<u64> {
        match *self.node(term) {
            Node::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of a constant of any width.
    pub fn as_bitvector(&self, term: Term) -> Option<BitVector> {
        match self.node(term) {
            Node::Constant { width, value } => Some(BitVector::from_u64(*width, *value)),
            Node::WideConstant { width, limbs } => Some(BitVector::from_limbs(*width, limbs)),
            _ => None,
        }
    }

    /// Whether the term is a constant of any width.
    pub fn is_constant(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Constant { .. } | Node::WideConstant { .. })
    }

    /// The term of exactly this node, without simplification. No allocation where it exists.
    pub(crate) fn intern(&self, node: Node) -> Term {
        let hash = match node {
            Node::Constant { width, value } => hash_of(0, width, value),
            Node::Unary { operator, width, operand } => hash_of(1, width, (operator, operand)),
            Node::Binary { operator, width, left, right } => hash_of(2, width, (operator, left, right)),
            Node::IfThenElse { width, condition, then, otherwise } => {
                hash_of(3, width, (condition, then, otherwise))
            }
            Node::Concat { width, high, low } => hash_of(4, width, (high, low)),
            Node::Extract { width, offset, operand } => hash_of(5, width, (offset, operand)),
            Node::ZeroExtend { width, operand } => hash_of(6, width, operand),
            Node::SignExtend { width, operand } => hash_of(7, width, operand),
            Node::Float { operator, operands } => hash_of(10, operator.result_width(), (operator, operands)),
            Node::WideConstant { width, limbs } => return self.intern_wide(width, &limbs),
            Node::Symbol { indeterminate, width, name } => {
                return self.intern_symbol(indeterminate, width, &name);
            }
        };
        self.intern_with(hash, |other| *other == node, || node.clone())
    }

    pub(crate) fn intern_wide(&self, width: u32, limbs: &[u64]) -> Term {
        self.intern_with(
            hash_of(8, width, limbs),
            |other| matches!(other, Node::WideConstant { width: w, limbs: l } if *w == width && **l == *limbs),
            || Node::WideConstant { width, limbs: limbs.into() },
        )
    }

    pub(crate) fn intern_symbol(&self, indeterminate: bool, width: u32, name: &str) -> Term {
        if indeterminate {
            self.indeterminate.store(true, Ordering::Relaxed);
        }
        let same = |other: &Node| matches!(other, Node::Symbol { indeterminate: i, width: w, name: n } if *i == indeterminate && *w == width && **n == *name);
        let discriminant = if indeterminate { 10 } else { 9 };
        self.intern_with(hash_of(discriminant, width, name), same, || Node::Symbol {
            indeterminate,
            width,
            name: name.into(),
        })
    }

    /// Whether an indeterminate symbol was ever made.
    pub fn has_indeterminate(&self) -> bool {
        self.indeterminate.load(Ordering::Relaxed)
    }

    fn intern_with(&self, hash: u64, equal: impl Fn(&Node) -> bool, make: impl FnOnce() -> Node) -> Term {
        let shard = &self.shards[(hash >> (64 - SHARD_BITS)) as usize];
        let hash = hash as u32;
        // A worker that panicked while holding the lock left the table whole: entries go in last.
        let mut table = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let found = table.find(spread(hash), |entry| entry.hash == hash && equal(self.node(entry.term)));
        if let Some(entry) = found {
            return entry.term;
        }
        let index = self
            .length
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |length| length.checked_add(1))
            .expect("the term pool is full: 2^32 - 1 terms");
        let term = Term::from_index(index);
        let node = make();
        let support = match node {
            Node::Symbol { .. } => Support::of_symbol(self.symbols.fetch_add(1, Ordering::Relaxed)),
            _ => self.joint_support(node.operands()),
        };
        self.nodes.set(index, Interned { node, support, complement: AtomicU32::new(0) });
        table.insert_unique(spread(hash), Entry { hash, term }, |entry| spread(entry.hash));
        term
    }
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Terms").field("length", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small_and_a_term_is_four_bytes() {
        assert_eq!(size_of::<Option<Term>>(), 4);
        assert_eq!(size_of::<Node>(), 24);
    }

    #[test]
    fn workers_agree_on_identities() {
        let terms = Terms::new();
        let build = || -> Vec<Term> {
            let x = terms.symbol("x", 32);
            (0..5_000).map(|i| terms.multiply(terms.add(x, terms.constant(32, i)), x)).collect()
        };
        let all: Vec<Vec<Term>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        let distinct: std::collections::HashSet<_> = all[0].iter().collect();
        assert_eq!(distinct.len(), 5_000);
    }

    #[test]
    fn symbols_differ_by_name_and_by_width() {
        let terms = Terms::new();
        assert_eq!(terms.symbol("x", 8), terms.symbol("x", 8));
        assert_ne!(terms.symbol("x", 8), terms.symbol("y", 8));
        assert_ne!(terms.symbol("x", 8), terms.symbol("x", 16));
    }
}
