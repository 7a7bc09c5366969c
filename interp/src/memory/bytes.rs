//! The bytes of an object: in itself, in one piece, or in pages that forks share.

use super::page_table::PageTable;
use std::sync::Arc;

/// Objects up to this many bytes have them in themselves.
const INLINE_LIMIT: usize = 16;
/// Objects up to this many bytes are copied whole on the first write after a fork; larger ones page by page.
pub(super) const FLAT_LIMIT: u64 = 16 << 10;
/// Bytes of a page.
pub(super) const PAGE: usize = 4096;

/// The bytes of a page. Forks share it until it is written.
type Page = Arc<[u8; PAGE]>;

/// The concrete bytes of an object; what others are is marked beside them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bytes {
    /// Of an object of at most this many.
    Inline([u8; INLINE_LIMIT]),
    Flat(Box<[u8]>),
    Paged(PageTable<Page>),
}

/// Bytes in one piece, at least as many as the object has, or in pages.
enum Pieces<'b> {
    One(&'b [u8]),
    Pages(&'b PageTable<Page>),
}

/// As [`Pieces`], for changing.
enum PiecesMut<'b> {
    One(&'b mut [u8]),
    Pages(&'b mut PageTable<Page>),
}

impl Bytes {
    /// `size` bytes that start with `initial` and go on with zeros.
    pub fn new(size: u64, initial: &[u8]) -> Self {
        if size <= INLINE_LIMIT as u64 {
            let mut bytes = [0; INLINE_LIMIT];
            bytes[..initial.len()].copy_from_slice(initial);
            Self::Inline(bytes)
        } else if size <= FLAT_LIMIT {
            let mut bytes = vec![0; size as usize];
            bytes[..initial.len()].copy_from_slice(initial);
            Self::Flat(bytes.into())
        } else {
            let mut pages = PageTable::filled((size as usize).div_ceil(PAGE), Page::new([0; PAGE]));
            for (number, chunk) in initial.chunks(PAGE).enumerate() {
                page_mut(&mut pages, number)[..chunk.len()].copy_from_slice(chunk);
            }
            Self::Paged(pages)
        }
    }

    /// No bytes.
    pub fn none() -> Self {
        Self::Flat(Box::default())
    }

    /// The most memory that a new object of `size` bytes takes as long as it is unwritten.
    pub fn taken_at_once(size: u64) -> u64 {
        // Of a large one: pointers to the bytes of pages, and to the marks of those that are unwritten.
        if size <= FLAT_LIMIT { size } else { 2 * PageTable::<Page>::bytes_of_filled(size / PAGE as u64) }
    }

    /// Whether they are the same. Pages that both share are not looked at.
    pub fn agree(&self, other: &Self) -> bool {
        match (self.pieces(), other.pieces()) {
            (Pieces::One(one), Pieces::One(other)) => one == other,
            (Pieces::Pages(one), Pieces::Pages(other)) => {
                one.agrees(other, |one, other| Arc::ptr_eq(one, other) || one == other)
            }
            _ => false,
        }
    }

    /// Copies those at `offset` out.
    pub fn copy_out(&self, offset: u64, into: &mut [u8]) {
        let offset = offset as usize;
        match self.pieces() {
            Pieces::One(bytes) => into.copy_from_slice(&bytes[offset..offset + into.len()]),
            Pieces::Pages(pages) => {
                let mut done = 0;
                while done < into.len() {
                    let at = offset + done;
                    let count = (PAGE - at % PAGE).min(into.len() - done);
                    into[done..done + count].copy_from_slice(&page(pages, at / PAGE)[at % PAGE..][..count]);
                    done += count;
                }
            }
        }
    }

    /// Overwrites those at `offset`.
    pub fn copy_in(&mut self, offset: u64, from: &[u8]) {
        let offset = offset as usize;
        match self.pieces_mut() {
            PiecesMut::One(bytes) => bytes[offset..offset + from.len()].copy_from_slice(from),
            PiecesMut::Pages(pages) => {
                let mut done = 0;
                while done < from.len() {
                    let at = offset + done;
                    let count = (PAGE - at % PAGE).min(from.len() - done);
                    page_mut(pages, at / PAGE)[at % PAGE..][..count]
                        .copy_from_slice(&from[done..done + count]);
                    done += count;
                }
            }
        }
    }

    /// Fills `length` bytes at `offset`. Whole pages share one.
    pub fn fill(&mut self, offset: u64, byte: u8, length: u64) {
        let (start, end) = (offset as usize, (offset + length) as usize);
        match self.pieces_mut() {
            PiecesMut::One(bytes) => bytes[start..end].fill(byte),
            PiecesMut::Pages(pages) => {
                let whole = start.div_ceil(PAGE)..end / PAGE;
                let mut at = start;
                while at < end {
                    if at == whole.start * PAGE && !whole.is_empty() {
                        pages.fill(whole.clone(), &Page::new([byte; PAGE]));
                        at = whole.end * PAGE;
                        continue;
                    }
                    let count = (PAGE - at % PAGE).min(end - at);
                    page_mut(pages, at / PAGE)[at % PAGE..][..count].fill(byte);
                    at += count;
                }
            }
        }
    }

    /// Up to 8 bytes at `offset`, little-endian.
    #[inline(always)]
    pub fn read_word(&self, offset: u64, length: u64) -> u64 {
        match self.pieces() {
            Pieces::One(bytes) => word_at(&bytes[offset as usize..], length),
            Pieces::Pages(pages) => {
                let within = offset as usize % PAGE;
                if within + length as usize <= PAGE {
                    word_at(&page(pages, offset as usize / PAGE)[within..], length)
                } else {
                    let mut word = [0; 8];
                    self.copy_out(offset, &mut word[..length as usize]);
                    u64::from_le_bytes(word)
                }
            }
        }
    }

    /// Overwrites up to 8 bytes at `offset`, little-endian.
    #[inline(always)]
    pub fn write_word(&mut self, offset: u64, length: u64, word: u64) {
        match self.pieces_mut() {
            PiecesMut::One(bytes) => set_word_at(&mut bytes[offset as usize..], length, word),
            PiecesMut::Pages(pages) => {
                let within = offset as usize % PAGE;
                if within + length as usize <= PAGE {
                    set_word_at(&mut page_mut(pages, offset as usize / PAGE)[within..], length, word);
                } else {
                    self.copy_in(offset, &word.to_le_bytes()[..length as usize]);
                }
            }
        }
    }

    /// Those from `start`, where a page begins, to `end`, which is at most where the page ends.
    pub fn page(&self, start: usize, end: usize) -> Option<&[u8]> {
        match self.pieces() {
            Pieces::One(bytes) => bytes.get(start..end),
            Pieces::Pages(pages) => pages.get(start / PAGE)?.get(..end - start),
        }
    }

    /// As [`page`](Self::page), for changing.
    pub fn page_mut(&mut self, start: usize, end: usize) -> Option<&mut [u8]> {
        match self.pieces_mut() {
            PiecesMut::One(bytes) => bytes.get_mut(start..end),
            PiecesMut::Pages(pages) => Page::make_mut(pages.get_mut(start / PAGE)?).get_mut(..end - start),
        }
    }

    #[inline(always)]
    fn pieces(&self) -> Pieces<'_> {
        match self {
            Bytes::Inline(bytes) => Pieces::One(bytes),
            Bytes::Flat(bytes) => Pieces::One(bytes),
            Bytes::Paged(pages) => Pieces::Pages(pages),
        }
    }

    #[inline(always)]
    fn pieces_mut(&mut self) -> PiecesMut<'_> {
        match self {
            Bytes::Inline(bytes) => PiecesMut::One(bytes),
            Bytes::Flat(bytes) => PiecesMut::One(bytes),
            Bytes::Paged(pages) => PiecesMut::Pages(pages),
        }
    }
}

/// The bytes of a page that the object has.
#[inline(always)]
fn page(pages: &PageTable<Page>, number: usize) -> &[u8; PAGE] {
    pages.get(number).expect("the access lies within the object")
}

/// As [`page`], for changing.
#[inline(always)]
fn page_mut(pages: &mut PageTable<Page>, number: usize) -> &mut [u8; PAGE] {
    Page::make_mut(pages.get_mut(number).expect("the access lies within the object"))
}

/// The word of `length` bytes that `bytes` begin with. The usual lengths are distinguished so that each is
/// one machine access.
#[inline(always)]
fn word_at(bytes: &[u8], length: u64) -> u64 {
    match length {
        8 => u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")),
        4 => u64::from(u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))),
        1 => u64::from(bytes[0]),
        _ => {
            let mut word = [0; 8];
            word[..length as usize].copy_from_slice(&bytes[..length as usize]);
            u64::from_le_bytes(word)
        }
    }
}

/// Overwrites the first `length` bytes with the low bytes of `word`.
#[inline(always)]
fn set_word_at(bytes: &mut [u8], length: u64, word: u64) {
    let word = word.to_le_bytes();
    match length {
        8 => bytes[..8].copy_from_slice(&word),
        4 => bytes[..4].copy_from_slice(&word[..4]),
        1 => bytes[0] = word[0],
        _ => bytes[..length as usize].copy_from_slice(&word[..length as usize]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filling_agrees_with_copying() {
        let size = 130 * PAGE + 17;
        for (start, end) in [(0, size), (3, 9), (3, PAGE), (PAGE, 2 * PAGE), (5, 70 * PAGE), (4095, size)] {
            let mut filled = Bytes::new(size as u64, &[1, 2, 3]);
            let mut copied = filled.clone();
            filled.fill(start as u64, 7, (end - start) as u64);
            copied.copy_in(start as u64, &vec![7; end - start]);
            assert!(filled.agree(&copied), "{start} {end}");
        }
    }

    #[test]
    fn pages_that_are_filled_share_one() {
        let mut bytes = Bytes::new(1 << 20, &[]);
        bytes.fill(1, 7, (1 << 20) - 1);
        let Bytes::Paged(pages) = &bytes else { panic!("it is large") };
        assert!((2..256).all(|page| pages.get(page).map(Arc::as_ptr) == pages.get(1).map(Arc::as_ptr)));
    }
}
