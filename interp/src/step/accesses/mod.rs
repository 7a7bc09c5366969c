//! Loads and stores that take more than a word of concrete, private memory: others may see them, or something
//! is symbolic, in pieces or wrong.

pub(super) mod alignment;
pub(super) mod atomics;
pub(super) mod masked;
mod wide_atomics;

use crate::access::Purpose;
use crate::access::concretise::Address;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::value::{Byte, Value};
use crate::words::integers::compare;
use symx_ir::instruction::{AtomicOrdering, Piece};
use symx_ir::{Condition, Operand, Slot};
use symx_memmodel::Ordering;

/// The memory model's word for an ordering.
pub(in crate::step) fn ordering(ordering: AtomicOrdering) -> Ordering {
    match ordering {
        AtomicOrdering::NotAtomic => Ordering::NotAtomic,
        AtomicOrdering::Unordered => Ordering::Unordered,
        AtomicOrdering::Monotonic => Ordering::Monotonic,
        AtomicOrdering::Acquire => Ordering::Acquire,
        AtomicOrdering::Release => Ordering::Release,
        AtomicOrdering::AcquireRelease => Ordering::AcquireRelease,
        AtomicOrdering::SequentiallyConsistent => Ordering::SequentiallyConsistent,
    }
}

/// A value that is in memory in several pieces.
#[derive(Clone, Copy)]
pub(in crate::step) struct Whole<'i> {
    /// Where they are, one for each slot.
    pub pieces: &'i [Piece],
    /// Bytes of the whole.
    pub size: u64,
    /// Its alignment is two to this power.
    pub align_log2: u8,
}

impl<E: Environment> Executor<'_, E> {
    /// Loads where it takes more than reading a word: others may see it, or something is symbolic or wrong.
    pub(in crate::step) fn load_slowly(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        address: Operand,
        length: u64,
        align_log2: u8,
    ) -> Result<Value, Stop> {
        let address = running.value(address);
        match self.address(state, running.thread, address, length, Purpose::Read)? {
            Address::Fixed(address) => {
                self.check_alignment(state, address, length, align_log2, Purpose::Read)?;
                self.present.value_counts = !self.machine.options.races || value_counts(running);
                let access = running.accesses(address, length, Ordering::NotAtomic);
                let loaded = self.load(state, access);
                self.present.value_counts = true;
                loaded
            }
            Address::Within(window) => Ok(self.read_window(state, &window, 0, length)),
        }
    }

    /// Stores where it takes more than writing a word, as [`load_slowly`](Self::load_slowly) loads.
    pub(in crate::step) fn store_slowly(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        operands: [Operand; 2],
        length: u64,
        align_log2: u8,
    ) -> Result<(), Stop> {
        let [address, value] = operands.map(|operand| running.value(operand));
        match self.address(state, running.thread, address, length, Purpose::Write)? {
            Address::Fixed(address) => {
                self.check_alignment(state, address, length, align_log2, Purpose::Write)?;
                self.store(state, running.accesses(address, length, Ordering::NotAtomic), value)
            }
            Address::Within(window) => {
                self.write_window(state, &window, 0, length, value);
                Ok(())
            }
        }
    }

    /// Loads several pieces as one access: one visible step.
    pub(in crate::step) fn load_pieces(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        Whole { pieces, size, align_log2 }: Whole<'_>,
        dst: Slot,
        address: Operand,
    ) -> Result<(), Stop> {
        let at = self.fixed_address(state, running.value(address), size)?;
        self.check_alignment(state, at, size, align_log2, Purpose::Read)?;
        let address = running.value(address);
        let address = match self.address(state, running.thread, address, size, Purpose::Read)? {
            Address::Fixed(address) => address,
            Address::Within(window) => {
                for (slot, piece) in pieces.iter().enumerate() {
                    let length = u64::from(piece.bits).div_ceil(8);
                    let value = self.read_window(state, &window, piece.offset.into(), length);
                    let value = self.narrow(value, piece.bits);
                    running.frame.set(dst + slot as u32, value);
                }
                return Ok(());
            }
        };
        let bytes = self.load_bytes(state, running.accesses(address, size, Ordering::NotAtomic))?;
        for (slot, piece) in pieces.iter().enumerate() {
            let length = u64::from(piece.bits).div_ceil(8) as usize;
            let from = piece.offset as usize;
            let value = Byte::join(&self.machine.terms, bytes[from..from + length].iter().copied());
            let value = self.narrow(value, piece.bits);
            running.frame.set(dst + slot as u32, value);
        }
        Ok(())
    }

    /// Stores several pieces as one access.
    pub(in crate::step) fn store_pieces(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        Whole { pieces, size, align_log2 }: Whole<'_>,
        [address, value]: [Operand; 2],
    ) -> Result<(), Stop> {
        let at = self.fixed_address(state, running.value(address), size)?;
        self.check_alignment(state, at, size, align_log2, Purpose::Write)?;
        let address = running.value(address);
        let address = match self.address(state, running.thread, address, size, Purpose::Write)? {
            Address::Fixed(address) => address,
            Address::Within(window) => {
                for (slot, piece) in pieces.iter().enumerate() {
                    let value = running.value(value.offset(slot as u32));
                    let length = u64::from(piece.bits).div_ceil(8);
                    self.write_window(state, &window, piece.offset.into(), length, value);
                }
                return Ok(());
            }
        };
        let mut parts = Vec::with_capacity(pieces.len());
        for (slot, piece) in pieces.iter().enumerate() {
            let length = u64::from(piece.bits).div_ceil(8);
            let value = running.value(value.offset(slot as u32));
            let bytes = Byte::split(&self.machine.terms, value, length);
            parts.push((u64::from(piece.offset), bytes));
        }
        self.store_parts(state, running.accesses(address, size, Ordering::NotAtomic), &parts)
    }
}

/// Whether the value of the load at which a frame stands counts for the program. An optimiser may have made
/// the load unconditional and left only the choice of its value to the condition.
fn value_counts(running: &Running<'_>) -> bool {
    let hoisted = &running.function.hoisted;
    let Ok(at) = hoisted.binary_search_by_key(&running.frame.pc, |load| load.pc) else { return true };
    let holds = match hoisted[at].condition {
        Condition::Bit(bit) => running.word(bit).map(|bit| bit & 1 == 1),
        Condition::Compared { predicate, bits, a, b } => {
            running.word(a).zip(running.word(b)).map(|(a, b)| compare(predicate, bits, a, b))
        }
    };
    holds.is_none_or(|holds| holds == hoisted[at].counts_if)
}
