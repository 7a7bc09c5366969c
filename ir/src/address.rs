//! The shape of the program's address space.
//!
//! Addresses are plain 47-bit numbers, as on x86-64, so that programs may tag pointers or print them. Each
//! memory object owns a *cell*: a stretch of addresses larger than the object. So an access just past either
//! end hits no neighbour, and an address names its object by a shift. Small objects have cells of 128 KiB,
//! large ones of 8 GiB. Functions have addresses but no bytes.

/// Addresses from here to [`FUNCTION_BASE`] belong to labels whose address is taken, one each.
pub const LABEL_BASE: u64 = 1 << 24;

/// Addresses from here to [`FUNCTION_END`] belong to functions, 16 bytes each.
pub const FUNCTION_BASE: u64 = 1 << 28;
/// One past the last function address.
pub const FUNCTION_END: u64 = 1 << 29;
/// Addresses from here up to 2^30 belong to undefined variables; there is nothing at them.
const UNDEFINED_VARIABLE_BASE: u64 = FUNCTION_END;
const UNDEFINED_VARIABLE_STRIDE: u64 = 1 << 20;
/// How many undefined variables may be used.
pub const MOST_UNDEFINED_VARIABLES: usize = 1 << 9;
/// Bytes between the addresses of two functions.
pub const FUNCTION_STRIDE: u64 = 16;

/// Largest size in bytes of a small object.
pub const SMALL_LIMIT: u64 = 1 << 16;
const SMALL_CELL_LOG2: u32 = 17;
const SMALL_BASE: u64 = 1 << 30;
const SMALL_FIRST_CELL: u64 = SMALL_BASE >> SMALL_CELL_LOG2;
const SMALL_LEAD: u64 = 1 << 12;

/// Largest size in bytes of any object.
pub const LARGE_LIMIT: u64 = (1 << 32) - 1;
const LARGE_BIT: u64 = 1 << 46;
const LARGE_CELL_LOG2: u32 = 33;
const LARGE_LEAD: u64 = 1 << 32;

/// Count of cells for large objects.
pub const LARGE_CELLS: u32 = 1 << (46 - LARGE_CELL_LOG2);
/// Count of cells for small objects.
pub const SMALL_CELLS: u32 = (1 << (46 - SMALL_CELL_LOG2)) - SMALL_FIRST_CELL as u32;

/// A memory object's place in the address space: which cell. Large objects have the top bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Cell(pub u32);

impl Cell {
    const LARGE: u32 = 1 << 31;

    /// A cell that no object is ever in.
    pub const NOWHERE: Self = Self::small(SMALL_CELLS);

    /// The `index`-th cell for small objects (below [`SMALL_CELLS`]).
    pub const fn small(index: u32) -> Self {
        Cell(index)
    }

    /// The `index`-th cell for large objects (below [`LARGE_CELLS`]).
    pub const fn large(index: u32) -> Self {
        Cell(index | Self::LARGE)
    }

    /// Whether this is a cell for large objects.
    pub const fn is_large(self) -> bool {
        self.0 & Self::LARGE != 0
    }

    /// Index among the cells of its kind.
    pub const fn index(self) -> u32 {
        self.0 & !Self::LARGE
    }

    /// Address of the first byte of an object in this cell, given its alignment. That is in log2 of bytes: at
    /// most 16 for small objects, 32 for large ones.
    pub const fn base(self, align_log2: u8) -> u64 {
        if self.is_large() {
            LARGE_BIT + ((self.index() as u64) << LARGE_CELL_LOG2) + LARGE_LEAD
        } else {
            let lead = if (1 << align_log2) > SMALL_LEAD { 1 << align_log2 } else { SMALL_LEAD };
            ((self.index() as u64 + SMALL_FIRST_CELL) << SMALL_CELL_LOG2) + lead
        }
    }

    /// The cell that `address` falls in; `None` where no object can be (null page, functions, non-canonical).
    pub const fn of(address: u64) -> Option<Cell> {
        if address >= SMALL_BASE && address < LARGE_BIT {
            Some(Cell::small(((address >> SMALL_CELL_LOG2) - SMALL_FIRST_CELL) as u32))
        } else if address >= LARGE_BIT && address < LARGE_BIT << 1 {
            Some(Cell::large(((address - LARGE_BIT) >> LARGE_CELL_LOG2) as u32))
        } else {
            None
        }
    }
}

/// The address of function number `index`.
pub const fn function_address(index: u32) -> u64 {
    FUNCTION_BASE + index as u64 * FUNCTION_STRIDE
}

/// The address of an undefined variable, by its number, which is below [`MOST_UNDEFINED_VARIABLES`].
pub const fn undefined_variable_address(number: u32) -> u64 {
    UNDEFINED_VARIABLE_BASE + number as u64 * UNDEFINED_VARIABLE_STRIDE
}

/// The number of the undefined variable that an address lies in.
pub const fn undefined_variable(address: u64) -> Option<u32> {
    if address >= UNDEFINED_VARIABLE_BASE && address < SMALL_BASE {
        Some(((address - UNDEFINED_VARIABLE_BASE) / UNDEFINED_VARIABLE_STRIDE) as u32)
    } else {
        None
    }
}

/// The function number an address denotes, if it is exactly a function's address.
pub const fn function_index(address: u64) -> Option<u32> {
    if address >= FUNCTION_BASE && address < FUNCTION_END && address.is_multiple_of(FUNCTION_STRIDE) {
        Some(((address - FUNCTION_BASE) / FUNCTION_STRIDE) as u32)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_contains_its_object_and_a_gap_on_either_side() {
        for (cell, limit) in [
            (Cell::small(0), SMALL_LIMIT),
            (Cell::small(SMALL_CELLS - 1), SMALL_LIMIT),
            (Cell::large(0), LARGE_LIMIT),
            (Cell::large(LARGE_CELLS - 1), LARGE_LIMIT),
        ] {
            let base = cell.base(4);
            for address in [base - 1, base, base + limit, base - 4096] {
                assert_eq!(Cell::of(address), Some(cell), "{address:#x}");
            }
        }
        assert_eq!(Cell::of(0), None);
        assert_eq!(Cell::of(function_address(7)), None);
        assert_eq!(Cell::of(1 << 47), None);
        assert_eq!(function_index(function_address(7)), Some(7));
        assert_eq!(function_index(function_address(7) + 1), None);
    }
}
