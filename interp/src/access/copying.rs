//! Copies and fills of memory ranges.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::pieces::{BYTES_A_MARK, PIECE, pieces};
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::threads::thread::Action;
use crate::value::{Byte, Value};
use symx_ir::address::Cell;
use symx_memmodel::Ordering;

impl<E: Environment> Executor<'_, E> {
    /// Copies `length` bytes in one go; symbolic and unwritten ones stay what they are.
    /// The ranges may overlap.
    pub(crate) fn copy_memory(
        &mut self,
        state: &mut State<E>,
        to: u64,
        from: u64,
        length: u64,
    ) -> Result<(), Stop> {
        if length == 0 {
            return Ok(());
        }
        let (target, _) = self.locate(state, to, length, Purpose::Write)?;
        let (_, source) = self.locate(state, from, length, Purpose::Read)?;
        let (source_cell, source_offset) = (Cell::of(source.base), from - source.base);
        let mut bytes = vec![0; length.min(PIECE) as usize];
        // A piece is read before it can be overwritten.
        let descending = to > from && to < from.saturating_add(length);
        for (at, count) in pieces(length, descending) {
            self.ask(count)?;
            let source = source_cell.and_then(|cell| state.memory.get(cell)).expect("located above");
            let (offset, bytes) = (source_offset + at, &mut bytes[..count as usize]);
            source.copy_out(offset, bytes);
            let marks = (!source.is_concrete(offset, count)).then(|| source.marks(offset, count));
            if let Some(marks) = &marks {
                self.ask(marks.count() * BYTES_A_MARK)?;
            }
            let object = state.memory.get_mut(target).expect("located above");
            let offset = to + at - object.base;
            object.copy_in(offset, bytes);
            if let Some(marks) = marks {
                object.set_marks(offset, &marks);
            }
        }
        Ok(())
    }

    /// Fills `length` bytes that are there for writing.
    pub(crate) fn fill_memory(
        &self,
        state: &mut State<E>,
        to: u64,
        byte: Byte,
        length: u64,
    ) -> Result<(), Stop> {
        let (cell, object) = self.locate(state, to, length, Purpose::Write)?;
        let start = to - object.base;
        if let Byte::Concrete(byte) = byte {
            self.ask_for_object(length)?;
            state.memory.get_mut(cell).expect("located above").fill(start, byte, length);
            return Ok(());
        }
        for (at, count) in pieces(length, false) {
            self.ask(count * BYTES_A_MARK)?;
            let object = state.memory.get_mut(cell).expect("located above");
            (0..count).for_each(|index| object.set_byte(start + at + index, byte));
        }
        Ok(())
    }

    /// `memcpy` or `memmove` as an instruction. Bytes that other threads may reach are copied in aligned
    /// pieces of up to eight. Each is read and written in visible steps of its own.
    pub(crate) fn copy_instruction(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        to: u64,
        from: u64,
        length: u64,
    ) -> Result<(), Stop> {
        if length == 0 {
            return Ok(());
        }
        let order = Ordering::NotAtomic;
        // Descending when the target overlaps the source from above, as memmove must.
        let descending = to > from && to < from.saturating_add(length);
        let (next, size) = piece(to, from, running.frame.rare().progress, length, descending);
        let located = self.locate(state, to, length, Purpose::Write).map(|(cell, _)| cell);
        let target = located.map_err(|fault| {
            let action = Action::Store { address: to + next, length: size, ordering: order };
            self.refused(state, running.thread, running.span(), action, fault)
        })?;
        let located = self.locate(state, from, length, Purpose::Read).map(|(cell, _)| cell);
        let source = located.map_err(|fault| {
            let action = Action::Load { address: from + next, length: size, ordering: order };
            self.refused(state, running.thread, running.span(), action, fault)
        })?;
        let visible = self.present.granted
            || running.frame.rare().progress > 0
            || self.is_visible(state, running.thread, source)
            || self.is_visible(state, running.thread, target)
            || self.is_traced(state, source)
            || self.is_traced(state, target);
        if !visible {
            return self.copy_memory(state, to, from, length);
        }
        while running.frame.rare().progress < length {
            let (offset, piece) = piece(to, from, running.frame.rare().progress, length, descending);
            if running.frame.rare().held.is_none() {
                let value = self.load(state, running.accesses(from + offset, piece, order))?;
                running.frame.rare_mut().held = Some(value);
            }
            let value = running.frame.rare().held.expect("just read");
            self.store(state, running.accesses(to + offset, piece, order), value)?;
            running.frame.rare_mut().held = None;
            running.frame.rare_mut().progress += piece;
        }
        running.frame.rare_mut().progress = 0;
        Ok(())
    }

    /// `memset` as an instruction, in pieces where others may see.
    pub(crate) fn fill_instruction(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        to: u64,
        byte: Value,
        length: u64,
    ) -> Result<(), Stop> {
        if length == 0 {
            return Ok(());
        }
        let located = self.locate(state, to, length, Purpose::Write).map(|(cell, _)| cell);
        let cell = located.map_err(|fault| {
            let (next, size) = piece(to, to, running.frame.rare().progress, length, false);
            let action = Action::Store { address: to + next, length: size, ordering: Ordering::NotAtomic };
            self.refused(state, running.thread, running.span(), action, fault)
        })?;
        let visible = self.present.granted
            || running.frame.rare().progress > 0
            || self.is_visible(state, running.thread, cell)
            || self.is_traced(state, cell);
        let terms = &self.machine.terms;
        let byte = match byte {
            Value::Concrete(byte) => Byte::Concrete(byte as u8),
            Value::Symbolic(_) => Byte::of(terms, byte.term(terms, 8)),
        };
        if !visible {
            return self.fill_memory(state, to, byte, length);
        }
        while running.frame.rare().progress < length {
            let (offset, size) = piece(to, to, running.frame.rare().progress, length, false);
            let value = Byte::join(terms, std::iter::repeat_n(byte, size as usize));
            self.store(state, running.accesses(to + offset, size, Ordering::NotAtomic), value)?;
            running.frame.rare_mut().progress += size;
        }
        running.frame.rare_mut().progress = 0;
        Ok(())
    }
}

/// The next piece to copy after `done` bytes: its offset and size. The size is the largest of 8, 4, 2, 1
/// bytes that both addresses are aligned to.
fn piece(to: u64, from: u64, done: u64, length: u64, descending: bool) -> (u64, u64) {
    let left = length - done;
    for size in [8, 4, 2] {
        let offset = if descending { left.wrapping_sub(size) } else { done };
        if size <= left
            && (to.wrapping_add(offset)).is_multiple_of(size)
            && (from.wrapping_add(offset)).is_multiple_of(size)
        {
            return (offset, size);
        }
    }
    (if descending { left - 1 } else { done }, 1)
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn pieces_are_aligned_and_cover_everything_once() {
        for (to, from, length) in [(0, 0, 24), (3, 11, 30), (1, 2, 7), (6, 2, 17), (8, 4, 12)] {
            for descending in [false, true] {
                let mut seen = vec![0; length as usize];
                let mut done = 0;
                while done < length {
                    let (offset, size) = piece(to, from, done, length, descending);
                    assert!((to + offset) % size == 0 && (from + offset) % size == 0);
                    for byte in offset..offset + size {
                        seen[byte as usize] += 1;
                    }
                    done += size;
                }
                assert!(seen.iter().all(|count| *count == 1), "{to} {from} {length}");
            }
        }
    }
}
