//! What a thread executes: its frame, with the function at hand, and an access to memory that it makes.

use crate::threads::frame::Frame;
use crate::threads::kept::Kept;
use crate::threads::thread::Action;
use crate::value::Value;
use symx_expr::Term;
use symx_ir::program::LinkedFunction;
use symx_ir::{Operand, SpanId};
use symx_memmodel::{ByteRange, Ordering};
use symx_trace::ThreadId;

/// A frame being executed, with its function at hand.
pub struct Running<'f> {
    /// The frame.
    pub frame: &'f mut Frame,
    /// The function whose frame it is.
    pub function: &'f LinkedFunction,
    /// The thread that executes it.
    pub thread: ThreadId,
}

impl Running<'_> {
    /// The bits an operand reads, whether they are a number or a term.
    #[inline(always)]
    pub fn bits(&self, operand: Operand) -> u64 {
        if operand.is_constant() {
            self.function.constants[operand.index()]
        } else {
            self.frame.slots[operand.index()]
        }
    }

    /// The value an operand reads.
    #[inline]
    pub fn value(&self, operand: Operand) -> Value {
        value_in(self.frame, self.function, operand)
    }

    /// Whether no register of the frame is symbolic, so that operands need no looking at.
    #[inline(always)]
    pub fn concrete(&self) -> bool {
        self.frame.is_concrete()
    }

    /// The operand's bits if it is concrete.
    #[inline(always)]
    pub fn word(&self, operand: Operand) -> Option<u64> {
        if self.concrete() { Some(self.bits(operand)) } else { self.value(operand).concrete() }
    }

    /// Writes a concrete result.
    #[inline(always)]
    pub fn set_word(&mut self, slot: u32, bits: u64) {
        if self.concrete() {
            self.frame.slots[slot as usize] = bits;
        } else {
            self.frame.set(slot, Value::Concrete(bits));
        }
    }

    /// The present instruction's span.
    pub fn span(&self) -> SpanId {
        self.function.spans[self.frame.pc as usize]
    }

    /// The access that the present instruction makes to `length` bytes at `address`.
    pub fn accesses(&self, address: u64, length: u64, ordering: Ordering) -> MemoryAccess {
        let range = ByteRange::new(address, length);
        MemoryAccess { thread: self.thread, span: self.span(), range, ordering }
    }
}

/// The value an operand of `function` reads in a frame.
#[inline]
pub(crate) fn value_in(frame: &Frame, function: &LinkedFunction, operand: Operand) -> Value {
    if operand.is_constant() {
        Value::Concrete(function.constants[operand.index()])
    } else if frame.is_symbolic(operand.index()) {
        Value::Symbolic(Term::from_number(frame.slots[operand.index()] as u32))
    } else {
        Value::Concrete(frame.slots[operand.index()])
    }
}

/// An access to memory that a thread makes.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// The thread.
    pub thread: ThreadId,
    /// Where its source asks for the access.
    pub span: SpanId,
    /// The bytes.
    pub range: ByteRange,
    /// How it is ordered with others.
    pub ordering: Ordering,
}

impl MemoryAccess {
    pub(crate) fn loads<E: Kept>(self) -> Action<E> {
        let (ByteRange { address, length }, ordering) = (self.range, self.ordering);
        Action::Load { address, length, ordering }
    }

    pub(crate) fn stores<E: Kept>(self) -> Action<E> {
        let (ByteRange { address, length }, ordering) = (self.range, self.ordering);
        Action::Store { address, length, ordering }
    }

    pub(crate) fn updates<E: Kept>(self) -> Action<E> {
        let (ByteRange { address, length }, ordering) = (self.range, self.ordering);
        Action::ReadModifyWrite { address, length, ordering }
    }
}
