//! Values of registers and bytes: concrete, or a term.

use symx_expr::{Term, Terms};

/// A value of 1 to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Plain bits, zero-extended.
    Concrete(u64),
    /// A term of the value's width, or of a greater one with nothing but zeros above it.
    Symbolic(Term),
}

impl Value {
    /// The bits, if concrete.
    pub fn concrete(self) -> Option<u64> {
        match self {
            Value::Concrete(bits) => Some(bits),
            Value::Symbolic(_) => None,
        }
    }

    /// The value as a term of `width` bits.
    pub fn term(self, terms: &Terms, width: u32) -> Term {
        match self {
            Value::Concrete(bits) => terms.constant(width, bits),
            Value::Symbolic(term) => match terms.width(term).cmp(&width) {
                std::cmp::Ordering::Less => terms.zero_extend(term, width),
                std::cmp::Ordering::Equal => term,
                std::cmp::Ordering::Greater => terms.extract(term, 0, width),
            },
        }
    }

    /// A term as a value: concrete if it is a constant.
    pub fn of(terms: &Terms, term: Term) -> Self {
        match terms.as_constant(term) {
            Some(bits) => Value::Concrete(bits),
            None => Value::Symbolic(term),
        }
    }
}

/// A byte of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Byte {
    /// Plain.
    Concrete(u8),
    /// A term of width 8.
    Symbolic(Term),
}

impl Byte {
    /// The byte as a term of width 8.
    pub fn term(self, terms: &Terms) -> Term {
        match self {
            Byte::Concrete(byte) => terms.constant(8, byte.into()),
            Byte::Symbolic(term) => term,
        }
    }

    /// A term of width 8 as a byte: concrete if it is a constant.
    pub fn of(terms: &Terms, term: Term) -> Self {
        match terms.as_constant(term) {
            Some(byte) => Byte::Concrete(byte as u8),
            None => Byte::Symbolic(term),
        }
    }

    /// The value whose bytes, lowest first, these are (at most 8).
    pub fn join(terms: &Terms, bytes: impl IntoIterator<Item = Byte>) -> Value {
        let mut concrete = Some(0_u64);
        let mut joined: Option<Term> = None;
        for (index, byte) in bytes.into_iter().enumerate() {
            concrete = match (concrete, byte) {
                (Some(word), Byte::Concrete(byte)) => Some(word | u64::from(byte) << (8 * index)),
                _ => None,
            };
            let term = match byte {
                Byte::Concrete(byte) => terms.constant(8, u64::from(byte)),
                Byte::Symbolic(term) => term,
            };
            joined = Some(match joined {
                Some(low) => terms.concat(term, low),
                None => term,
            });
        }
        match (concrete, joined) {
            (Some(word), _) => Value::Concrete(word),
            (None, Some(term)) => Value::of(terms, term),
            (None, None) => Value::Concrete(0),
        }
    }

    /// The `length` bytes of `value`, lowest first.
    pub fn split(terms: &Terms, value: Value, length: u64) -> smallvec::SmallVec<[Byte; 8]> {
        match value {
            Value::Concrete(word) => {
                word.to_le_bytes()[..length as usize].iter().map(|byte| Byte::Concrete(*byte)).collect()
            }
            Value::Symbolic(term) => {
                let width = terms.width(term);
                let whole =
                    if width < 8 * length as u32 { terms.zero_extend(term, 8 * length as u32) } else { term };
                (0..length as u32)
                    .map(|index| match Value::of(terms, terms.extract(whole, 8 * index, 8)) {
                        Value::Concrete(byte) => Byte::Concrete(byte as u8),
                        Value::Symbolic(term) => Byte::Symbolic(term),
                    })
                    .collect()
            }
        }
    }
}
