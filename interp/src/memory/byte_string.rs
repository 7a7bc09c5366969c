//! A stretch of bytes few of which are symbolic: what travels between memory, files, pipes and streams.

use crate::value::Byte;
use symx_expr::{Assignment, Term, Terms, evaluate};

/// Bytes, and the terms of those that are symbolic.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stretch {
    /// The bytes; 0 where they are symbolic.
    pub bytes: Vec<u8>,
    /// The symbolic ones, ascending by position.
    pub symbolic: Vec<(u64, Term)>,
}

impl From<Vec<u8>> for Stretch {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, symbolic: Vec::new() }
    }
}

impl Stretch {
    /// These bytes.
    pub fn of(bytes: impl IntoIterator<Item = Byte>) -> Self {
        let mut stretch = Self::default();
        bytes.into_iter().for_each(|byte| stretch.push(byte));
        stretch
    }

    /// Count of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether no byte is symbolic.
    pub fn is_concrete(&self) -> bool {
        self.symbolic.is_empty()
    }

    /// Adds a byte at the end.
    pub fn push(&mut self, byte: Byte) {
        match byte {
            Byte::Concrete(byte) => self.bytes.push(byte),
            Byte::Symbolic(term) => {
                self.symbolic.push((self.bytes.len() as u64, term));
                self.bytes.push(0);
            }
        }
    }

    /// Adds another stretch at the end.
    pub fn append(&mut self, other: &Stretch) {
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&other.bytes);
        self.symbolic.extend(other.symbolic.iter().map(|(at, term)| (start + at, *term)));
    }

    /// The `length` bytes from `start` on.
    pub fn part(&self, start: usize, length: usize) -> Stretch {
        let range = start as u64..(start + length) as u64;
        let inside = self.symbolic.iter().filter(|(at, _)| range.contains(at));
        Stretch {
            bytes: self.bytes[start..start + length].to_vec(),
            symbolic: inside.map(|(at, term)| (at - range.start, *term)).collect(),
        }
    }

    /// The bytes one by one.
    pub fn iter(&self) -> impl Iterator<Item = Byte> + '_ {
        let mut symbolic = self.symbolic.iter().peekable();
        (0..).zip(&self.bytes).map(move |(at, byte)| match symbolic.next_if(|entry| entry.0 == at) {
            Some((_, term)) => Byte::Symbolic(*term),
            None => Byte::Concrete(*byte),
        })
    }

    /// The bytes under an assignment.
    pub fn under(&self, terms: &Terms, assignment: &Assignment) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for (at, term) in &self.symbolic {
            bytes[*at as usize] = evaluate(terms, *term, assignment).limbs()[0] as u8;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::BitVector;

    #[test]
    fn parts_and_sums_keep_what_is_symbolic_in_its_place() {
        let terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.symbol(name, 8));
        let bytes = [Byte::Concrete(1), Byte::Symbolic(x), Byte::Concrete(2), Byte::Symbolic(y)];
        let whole = Stretch::of(bytes);
        assert_eq!(whole.iter().collect::<Vec<_>>(), bytes);
        let mut again = whole.part(0, 2);
        again.append(&whole.part(2, 2));
        assert_eq!(again, whole);
        assert!(whole.part(2, 1).is_concrete() && !whole.is_concrete());
        let mut assignment = Assignment::new();
        assignment.set(y, BitVector::from_u64(8, 7));
        assert_eq!(whole.under(&terms, &assignment), [1, 0, 2, 7]);
    }
}
