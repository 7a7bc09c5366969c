//! Pieces in which many bytes are worked on, and the memory that symbolic ones take.

/// Bytes of memory that are worked on without asking in between: well below a thousandth of a second's work.
pub(crate) const PIECE: u64 = 1 << 20;

/// The memory of a symbolic byte in memory, a file or a stream: a term in a table by position.
pub const BYTES_A_MARK: u64 = 64;

/// The memory of a new symbol of one byte: its name, its node, its entries in the tables of terms, its place
/// in the input.
pub(crate) const BYTES_A_SYMBOL: u64 = 256;

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
