//! Work that may take long, or much memory, within one instruction: it proceeds in pieces and asks before
//! each.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Object;
use crate::stop::Stop;

/// Bytes of memory that are worked on without asking in between: well below a thousandth of a second's work.
pub(crate) const PIECE: u64 = 1 << 20;

/// Smaller allocations, in bytes, are not asked for: their sum is found when the process is measured.
const UNASKED: u64 = 4096;

/// Bytes that take some hundredths of a thousandth of a second to fill.
const MUCH: u64 = 1 << 16;

/// The memory of a symbolic byte in memory, a file or a stream: a term in a table by position.
pub const BYTES_A_MARK: u64 = 64;

/// The memory of a new symbol of one byte: its name, its node, its entries in the tables of terms, its place
/// in the input.
pub(crate) const BYTES_A_SYMBOL: u64 = 256;

impl<E: Environment> Executor<'_, E> {
    /// Asks for memory that is about to be taken. Where that is much, filling it takes time, so it is also
    /// asked whether work is to continue.
    #[inline]
    pub(crate) fn ask(&self, bytes: u64) -> Result<(), Stop> {
        if bytes < UNASKED {
            return Ok(());
        }
        if bytes >= MUCH {
            self.proceed()?;
        }
        Ok(self.machine.options.stop.ask(bytes)?)
    }

    /// Asks for what a new object of `size` bytes takes at once: all of a small one, of a large one its table
    /// of pages.
    #[inline]
    pub(crate) fn ask_for_object(&self, size: u64) -> Result<(), Stop> {
        self.ask(Object::bytes_at_once(size))
    }

    /// Asks whether work is to continue.
    pub(crate) fn proceed(&self) -> Result<(), Stop> {
        Ok(self.machine.options.stop.check()?)
    }
}

/// The pieces of `length` bytes: where each begins, and its length. From the last to the first if they are
/// descending.
pub(crate) fn pieces(length: u64, descending: bool) -> impl Iterator<Item = (u64, u64)> {
    let count = length.div_ceil(PIECE);
    (0..count).map(move |number| {
        let number = if descending { count - 1 - number } else { number };
        (number * PIECE, PIECE.min(length - number * PIECE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once() {
        assert_eq!(pieces(0, false).count(), 0);
        assert_eq!(pieces(7, true).collect::<Vec<_>>(), [(0, 7)]);
        let ascending: Vec<_> = pieces(2 * PIECE + 1, false).collect();
        assert_eq!(ascending, [(0, PIECE), (PIECE, PIECE), (2 * PIECE, 1)]);
        let mut descending: Vec<_> = pieces(2 * PIECE + 1, true).collect();
        descending.reverse();
        assert_eq!(descending, ascending);
    }
}
