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
use crate::threads::running::{MemoryAccess, Running};
use crate::value::{Byte, Value};
use crate::words::integers::compare;
use std::ops::Range;
use symx_ir::instruction::{AtomicOrdering, Piece};
use symx_ir::{Condition, Operand, Slot};
use symx_memmodel::{ByteRange, Ordering};

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

    /// Whether other threads may see a value in several pieces half read or half written. No machine
    /// promises that more than a word is accessed at once.
    fn is_seen_in_words(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        access: MemoryAccess,
        purpose: Purpose,
    ) -> Result<bool, Stop> {
        let ByteRange { address, length } = access.range;
        let cell = match self.locate(state, address, length, purpose) {
            Ok((cell, _)) => cell,
            Err(fault) => {
                let action = if purpose == Purpose::Read { access.loads() } else { access.stores() };
                return Err(self.refused(state, access.thread, access.span, action, fault));
            }
        };
        Ok(self.present.granted
            || running.frame.rare().progress > 0
            || self.is_visible(state, access.thread, cell)
            || self.is_traced(state, cell))
    }

    /// Loads several pieces, word by word where others may see them: a visible step each.
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
        let whole = running.accesses(address, size, Ordering::NotAtomic);
        if !self.is_seen_in_words(state, running, whole, Purpose::Read)? {
            let bytes = self.load_bytes(state, whole)?;
            self.set_pieces(running, (pieces, 0), dst, &bytes);
            return Ok(());
        }
        while let Some(word) = word_of(pieces, running.frame.rare().progress as usize, address) {
            let (first, end) = (word.start, word.end);
            let (start, length) = extent(&pieces[word.clone()]);
            let access = running.accesses(address + start, length, Ordering::NotAtomic);
            let bytes = self.load_bytes(state, access)?;
            self.set_pieces(running, (&pieces[word], start), dst + first as u32, &bytes);
            running.frame.rare_mut().progress = end as u64;
        }
        running.frame.rare_mut().progress = 0;
        Ok(())
    }

    /// Sets registers to pieces of which these are the bytes, from an offset on.
    fn set_pieces(
        &self,
        running: &mut Running<'_>,
        (pieces, start): (&[Piece], u64),
        dst: Slot,
        bytes: &[Byte],
    ) {
        for (slot, piece) in (dst..).zip(pieces) {
            let (from, length) = extent(std::slice::from_ref(piece));
            let bytes = &bytes[(from - start) as usize..][..length as usize];
            let value = Byte::join(&self.machine.terms, bytes.iter().copied());
            running.frame.set(slot, self.narrow(value, piece.bits));
        }
    }

    /// Stores several pieces, as [`load_pieces`](Self::load_pieces) loads.
    pub(in crate::step) fn store_pieces(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
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
        let terms = &self.machine.terms;
        let parts: Vec<_> = (0..)
            .zip(pieces)
            .map(|(slot, piece)| {
                let (offset, length) = extent(std::slice::from_ref(piece));
                (offset, Byte::split(terms, running.value(value.offset(slot)), length))
            })
            .collect();
        let whole = running.accesses(address, size, Ordering::NotAtomic);
        if !self.is_seen_in_words(state, running, whole, Purpose::Write)? {
            return self.store_parts(state, whole, &parts);
        }
        while let Some(word) = word_of(pieces, running.frame.rare().progress as usize, address) {
            let (start, length) = extent(&pieces[word.clone()]);
            let mut parts = parts[word.clone()].to_vec();
            parts.iter_mut().for_each(|(offset, _)| *offset -= start);
            let access = running.accesses(address + start, length, Ordering::NotAtomic);
            self.store_parts(state, access, &parts)?;
            running.frame.rare_mut().progress = word.end as u64;
        }
        running.frame.rare_mut().progress = 0;
        Ok(())
    }
}

/// The bytes from the first of some pieces to the last: offset and length.
fn extent(pieces: &[Piece]) -> (u64, u64) {
    let start = pieces.first().map_or(0, |piece| u64::from(piece.offset));
    let end = pieces.last().map_or(0, |piece| u64::from(piece.offset) + u64::from(piece.bits).div_ceil(8));
    (start, end - start)
}

/// The pieces from the one of number `first` on, if there is one, that lie in the same word of memory.
fn word_of(pieces: &[Piece], first: usize, address: u64) -> Option<Range<usize>> {
    let word = |at: u64| (address + at) / 8;
    let begin = word(u64::from(pieces.get(first)?.offset));
    let is_inside = |piece: &&Piece| {
        let (start, length) = extent(std::slice::from_ref(*piece));
        word(start + length - 1) == begin
    };
    let count = pieces[first..].iter().take_while(is_inside).count().max(1);
    Some(first..first + count)
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
