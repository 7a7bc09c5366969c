//! Memory objects: bytes with a lifetime and an origin.

use super::bytes::{Bytes, PAGE};
use super::unwritten::Unwritten;
use crate::memory::cause::Cause;
use crate::memory::site::{Allocation, Origin, Site};
use crate::value::{Byte, Value};
use imbl::OrdMap;
use symx_expr::{Term, Terms};
use symx_ir::TypedAllocation;
use symx_ir::address::Cell;

/// Whether an object may still be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// Yes.
    Live,
    /// No: `free` was called.
    Freed(Origin),
    /// No: the function that owned it returned.
    Returned(Origin),
    /// No: its scope ended.
    OutOfScope(Origin),
}

/// The content of a new object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Zeros.
    Zeros,
    /// Nothing the program may depend on.
    Unwritten,
}

/// A memory object.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Address of its first byte.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Where it comes from.
    pub site: Site,
    /// The thread that made it.
    pub origin: Origin,
    /// Whether it may be used.
    pub life: Life,
    /// Writing to it is an error.
    pub read_only: bool,
    /// The call that is known to have made it for a type, by which people call it.
    pub typed: Option<TypedAllocation>,
    bytes: Bytes,
    /// The bytes that are not plain; `None` where every byte is concrete and written.
    marks: Option<Box<Marks>>,
}

/// Which bytes of an object are not plain.
#[derive(Clone, Debug, Default, PartialEq)]
struct Marks {
    /// Bytes that are not concrete, by offset.
    symbolic: OrdMap<u32, Term>,
    /// Which bytes are unwritten; they are not symbolic.
    unwritten: Option<Unwritten>,
}

/// The bytes of a range that are not concrete, by offset within it.
#[derive(Clone, Debug, Default)]
pub struct ByteMarks {
    /// Runs of unwritten bytes: the first, and how many.
    unwritten: Vec<(u64, u64)>,
    symbolic: Vec<(u64, Term)>,
}

impl ByteMarks {
    /// How many symbolic bytes, and runs of unwritten ones, there are.
    pub fn count(&self) -> u64 {
        (self.unwritten.len() + self.symbolic.len()) as u64
    }
}

impl Object {
    /// A live object whose bytes start with `initial` and go on with zeros.
    pub fn new(base: u64, size: u64, site: Site, origin: Origin, initial: &[u8]) -> Self {
        let bytes = Bytes::new(size, initial);
        Self { base, size, site, origin, life: Life::Live, read_only: false, typed: None, bytes, marks: None }
    }

    /// The most memory that a new object of `size` bytes takes as long as it is unwritten.
    pub(crate) fn bytes_at_once(size: u64) -> u64 {
        // The bytes; of a large object also the table of the marks of those that are unwritten.
        Bytes::taken_at_once(size)
    }

    /// What it is called after.
    pub fn allocation(&self) -> Allocation {
        let Self { size, site, origin, typed, .. } = *self;
        Allocation { size, site, origin, typed }
    }

    /// The cell it lies in.
    #[inline(always)]
    pub(crate) fn cell(&self) -> Cell {
        Cell::of(self.base).expect("objects lie in cells")
    }

    /// Whether it is an object like another, whatever is in them.
    pub(super) fn equals_but_contents(&self, other: &Self) -> bool {
        (self.base, self.size, self.site, self.read_only)
            == (other.base, other.size, other.site, other.read_only)
            && (self.origin, self.life, self.typed) == (other.origin, other.life, other.typed)
    }

    /// Whether its bytes are plain, and those of another.
    pub fn has_same_contents(&self, other: &Self) -> bool {
        let bytes = self.bytes.agree(&other.bytes);
        bytes && self.marks.is_none() && other.marks.is_none()
    }

    /// Whether the same bytes are unwritten as in another, and the same ones hold the same terms.
    pub(crate) fn has_same_marks(&self, other: &Self) -> bool {
        self.marks == other.marks
    }

    /// Makes all bytes unwritten, whatever they were.
    pub fn make_unwritten(&mut self) {
        let unwritten = Unwritten::all(self.size);
        self.marks = unwritten.is_some().then(|| Box::new(Marks { unwritten, ..Marks::default() }));
    }

    /// Drops marks that mark nothing.
    fn tidy(&mut self) {
        if self.marks.as_ref().is_some_and(|marks| marks.symbolic.is_empty() && marks.unwritten.is_none()) {
            self.marks = None;
        }
    }

    /// Ends the object's life and drops its bytes.
    pub fn end_life(&mut self, life: Life) {
        self.life = life;
        self.bytes = Bytes::none();
        self.marks = None;
    }

    /// Whether `length` bytes at `offset` lie within the object.
    pub fn contains(&self, offset: u64, length: u64) -> bool {
        offset <= self.size && length <= self.size - offset
    }

    /// Whether the `length` bytes at `offset` are concrete and written.
    #[inline(always)]
    pub fn is_concrete(&self, offset: u64, length: u64) -> bool {
        self.marks.is_none() || !self.has_symbolic(offset, length)
    }

    /// Whether some of the `length` bytes at `offset` are symbolic or unwritten.
    pub fn has_symbolic(&self, offset: u64, length: u64) -> bool {
        let Some(marks) = &self.marks else { return false };
        if marks.unwritten.as_ref().is_some_and(|unwritten| unwritten.any(offset, length)) {
            return true;
        }
        let offset = offset as u32;
        if length == 1 {
            return marks.symbolic.contains_key(&offset);
        }
        marks.symbolic.range(offset..offset.saturating_add(length as u32)).next().is_some()
    }

    /// Copies the concrete bytes at `offset` out; symbolic ones come out as whatever was there before.
    pub fn copy_out(&self, offset: u64, into: &mut [u8]) {
        self.bytes.copy_out(offset, into);
    }

    /// Overwrites with concrete bytes at `offset`.
    pub fn copy_in(&mut self, offset: u64, from: &[u8]) {
        self.overwrite(offset, from.len() as u64);
        self.bytes.copy_in(offset, from);
    }

    /// Fills `length` bytes at `offset` with a concrete byte. Whole pages of a large object share one.
    pub fn fill(&mut self, offset: u64, byte: u8, length: u64) {
        self.overwrite(offset, length);
        self.bytes.fill(offset, byte, length);
    }

    /// Up to 8 concrete bytes at `offset`, little-endian. The caller has checked bounds and concreteness.
    #[inline]
    pub fn read_word(&self, offset: u64, length: u64) -> u64 {
        self.bytes.read_word(offset, length)
    }

    /// Writes up to 8 concrete bytes at `offset`, little-endian. The caller has checked bounds.
    #[inline]
    pub fn write_word(&mut self, offset: u64, length: u64, word: u64) {
        if self.marks.is_some() {
            self.overwrite(offset, length);
        }
        self.bytes.write_word(offset, length, word);
    }

    /// The page from `start` (a multiple of the page size) on, as far as the object goes, if
    /// the object is plain.
    pub(super) fn plain_page(&self, start: u64) -> Option<&[u8]> {
        let (start, end) = self.page_bounds(start)?;
        self.bytes.page(start, end)
    }

    /// As [`plain_page`](Self::plain_page), for changing.
    pub(super) fn plain_page_mut(&mut self, start: u64) -> Option<&mut [u8]> {
        let (start, end) = self.page_bounds(start)?;
        self.bytes.page_mut(start, end)
    }

    fn page_bounds(&self, start: u64) -> Option<(usize, usize)> {
        if start >= self.size {
            return None;
        }
        let end = (start + PAGE as u64).min(self.size);
        if let Some(marks) = &self.marks
            && (!marks.symbolic.is_empty()
                || marks.unwritten.as_ref().is_some_and(|unwritten| unwritten.any(start, end - start)))
        {
            return None;
        }
        Some((start as usize, end as usize))
    }

    /// Where the value of the unwritten byte at `offset` comes from.
    fn unwritten_byte(&self, offset: u64) -> Cause {
        Cause::Unwritten { base: self.base, offset, of: self.allocation() }
    }

    /// The byte at `offset`.
    pub fn byte(&self, terms: &Terms, offset: u64) -> Byte {
        if let Some(term) = self.marks.as_ref().and_then(|marks| marks.symbolic.get(&(offset as u32))) {
            return Byte::Symbolic(*term);
        }
        if self.has_symbolic(offset, 1) {
            return Byte::Symbolic(terms.indeterminate(&self.unwritten_byte(offset).to_string(), 8));
        }
        let mut byte = [0];
        self.copy_out(offset, &mut byte);
        Byte::Concrete(byte[0])
    }

    /// Writes the byte at `offset`.
    pub fn set_byte(&mut self, offset: u64, byte: Byte) {
        match byte {
            Byte::Concrete(byte) => self.copy_in(offset, &[byte]),
            Byte::Symbolic(term) => {
                self.overwrite(offset, 1);
                self.marks.get_or_insert_default().symbolic.insert(offset as u32, term);
            }
        }
    }

    /// `length` (at most 8) bytes at `offset` as one value of `8 * length` bits.
    pub fn read(&self, terms: &Terms, offset: u64, length: u64) -> Value {
        if self.is_concrete(offset, length) {
            return Value::Concrete(self.read_word(offset, length));
        }
        Byte::join(terms, (0..length).map(|index| self.byte(terms, offset + index)))
    }

    /// Writes `length` (at most 8) bytes of `value` at `offset`.
    pub fn write(&mut self, terms: &Terms, offset: u64, length: u64, value: Value) {
        match value {
            Value::Concrete(word) => self.write_word(offset, length, word),
            Value::Symbolic(_) => {
                for (index, byte) in Byte::split(terms, value, length).into_iter().enumerate() {
                    self.set_byte(offset + index as u64, byte);
                }
            }
        }
    }

    /// The bytes that are not concrete of `length` bytes at `offset`, to be [set](Self::set_marks) elsewhere.
    pub fn marks(&self, offset: u64, length: u64) -> ByteMarks {
        let mut found = ByteMarks::default();
        let Some(marks) = &self.marks else { return found };
        if let Some(unwritten) = &marks.unwritten {
            unwritten.for_each_run(offset, length, |first, count| {
                found.unwritten.push((first - offset, count));
            });
        }
        let symbolic = marks.symbolic.range(offset as u32..(offset + length) as u32);
        found.symbolic = symbolic.map(|(at, term)| (u64::from(*at) - offset, *term)).collect();
        found
    }

    /// Sets marks on bytes from `offset` up that have just been written.
    pub fn set_marks(&mut self, offset: u64, marks: &ByteMarks) {
        if !marks.unwritten.is_empty() {
            let size = self.size;
            let own = self.marks.get_or_insert_default();
            let unwritten = own.unwritten.get_or_insert_with(|| Unwritten::none(size));
            for (first, count) in &marks.unwritten {
                unwritten.set(offset + first, *count);
            }
        }
        for (at, term) in &marks.symbolic {
            self.set_byte(offset + at, Byte::Symbolic(*term));
        }
    }

    /// Forgets what was not concrete of bytes about to be written.
    #[inline(never)]
    fn overwrite(&mut self, offset: u64, length: u64) {
        let Some(marks) = &mut self.marks else { return };
        if let Some(unwritten) = &mut marks.unwritten {
            unwritten.clear(offset, length);
            if unwritten.is_empty() {
                marks.unwritten = None;
            }
        }
        let (first, end) = (offset as u32, offset as u32 + length as u32);
        while let Some(key) = marks.symbolic.range(first..end).next().map(|entry| *entry.0) {
            marks.symbolic.remove(&key);
        }
        self.tidy();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::bytes::FLAT_LIMIT;
    use symx_ir::SpanId;
    use symx_trace::ThreadId;

    #[test]
    fn an_object_and_its_counts_fit_one_of_the_allocator_s_classes() {
        assert!(size_of::<Object>() + 16 <= 96);
    }

    #[test]
    fn large_objects_share_pages_and_agree_with_flat_ones() {
        let origin = Origin { thread: ThreadId(0), span: SpanId::UNKNOWN };
        let mut object = Object::new(0, FLAT_LIMIT + 5, Site(0), origin, &[1, 2, 3]);
        let before = object.clone();
        object.write_word(4094, 8, 0x0807_0605_0403_0201);
        assert_eq!(object.read_word(4094, 8), 0x0807_0605_0403_0201);
        assert_eq!(object.read_word(4096, 2), 0x0403);
        assert_eq!(before.read_word(4094, 8), 0);
        assert_eq!(object.read_word(0, 4), 0x03_0201);
        assert!(object.contains(FLAT_LIMIT, 5) && !object.contains(FLAT_LIMIT, 6));
        assert!(!object.contains(u64::MAX, 2));
    }

    #[test]
    fn an_unwritten_object_that_is_filled_is_written_where_it_was_filled() {
        let origin = Origin { thread: ThreadId(0), span: SpanId::UNKNOWN };
        let size = 40 * PAGE as u64 + 9;
        let mut object = Object::new(0, size, Site(0), origin, &[]);
        object.make_unwritten();
        object.fill(5, 7, 30 * PAGE as u64);
        let end = 5 + 30 * PAGE as u64;
        assert!(!object.is_concrete(0, 5) && object.is_concrete(5, end - 5) && !object.is_concrete(end, 1));
        assert_eq!(object.read_word(end - 1, 1), 7);
        object.fill(0, 8, size);
        assert!(object.is_concrete(0, size) && object.read_word(size - 8, 8) == u64::from_le_bytes([8; 8]));
    }
}
