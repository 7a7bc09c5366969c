//! Which bytes of an object are unwritten: a bit a byte, as compact as the object is large.

use super::page_table::PageTable;
use std::sync::Arc;

/// Bytes that one word of marks is for.
const WORD: u64 = 64;
/// Bytes that one page of marks is for.
const PAGE: u64 = 4096;
/// Objects up to this many bytes keep their marks in one piece.
const FLAT_LIMIT: u64 = 16 << 10;

/// The marks of an object of which some bytes are unwritten.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Unwritten {
    /// Of at most 64 bytes.
    Word(u64),
    /// Of at most [`FLAT_LIMIT`] bytes: the marks, and how many words of them are not zero.
    Flat(u32, Box<[u64]>),
    /// Of more: pages of marks, `None` where all is written, and how many are not. Forks share pages.
    Paged(u32, PageTable<Option<Arc<Page>>>),
}

/// The marks of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// How many words are not zero.
    left: u32,
    words: [u64; (PAGE / WORD) as usize],
}

impl Unwritten {
    /// The marks of an object of `size` bytes that are all unwritten; `None` if it has no bytes.
    pub fn all(size: u64) -> Option<Self> {
        let words = |bytes: u64| (0..bytes.div_ceil(WORD)).map(move |word| low(bytes - word * WORD));
        match size {
            0 => None,
            1..=WORD => Some(Self::Word(low(size))),
            _ if size <= FLAT_LIMIT => Some(Self::Flat(size.div_ceil(WORD) as u32, words(size).collect())),
            _ => {
                let whole = Arc::new(Page { left: (PAGE / WORD) as u32, words: [u64::MAX; _] });
                let count = size.div_ceil(PAGE);
                let mut pages = PageTable::filled(count as usize, Some(whole));
                if !size.is_multiple_of(PAGE) {
                    let mut last = Page { left: 0, words: [0; _] };
                    for (word, marks) in last.words.iter_mut().zip(words(size % PAGE)) {
                        *word = marks;
                        last.left += 1;
                    }
                    *pages.get_mut(count as usize - 1).expect("it has the last page") = Some(Arc::new(last));
                }
                Some(Self::Paged(count as u32, pages))
            }
        }
    }

    /// The marks of an object of `size` bytes that are all written: to set some.
    pub fn none(size: u64) -> Self {
        match size {
            0..=WORD => Self::Word(0),
            _ if size <= FLAT_LIMIT => Self::Flat(0, vec![0; size.div_ceil(WORD) as usize].into()),
            _ => Self::Paged(0, PageTable::filled(size.div_ceil(PAGE) as usize, None)),
        }
    }

    /// Whether every byte is written.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Word(0) | Self::Flat(0, _) | Self::Paged(0, _))
    }

    /// Whether one of `length` bytes at `offset` is unwritten.
    #[inline]
    pub fn any(&self, offset: u64, length: u64) -> bool {
        match self {
            Self::Word(marks) => *marks & mask(offset, length) != 0,
            // The usual case of a longer object: all in one word.
            _ if offset % WORD + length <= WORD => {
                self.word(offset / WORD) & mask(offset % WORD, length) != 0
            }
            _ => words_of(offset, length).any(|(word, mask)| self.word(word) & mask != 0),
        }
    }

    /// The marks of 64 bytes.
    fn word(&self, word: u64) -> u64 {
        match self {
            Self::Word(marks) => *marks,
            Self::Flat(_, marks) => marks[word as usize],
            Self::Paged(_, pages) => match pages.get((word / (PAGE / WORD)) as usize) {
                Some(Some(page)) => page.words[(word % (PAGE / WORD)) as usize],
                Some(None) | None => 0,
            },
        }
    }

    /// Notes that `length` bytes at `offset` are written.
    #[inline]
    pub fn clear(&mut self, offset: u64, length: u64) {
        match self {
            Self::Word(marks) => *marks &= !mask(offset, length),
            _ if !self.any(offset, length) => {}
            Self::Flat(..) => self.clear_words(offset, length),
            Self::Paged(left, pages) => {
                let end = offset + length;
                let whole = offset.div_ceil(PAGE)..end / PAGE;
                if whole.is_empty() {
                    return self.clear_words(offset, length);
                }
                let range = whole.start as usize..whole.end as usize;
                *left -=
                    range.clone().filter(|page| matches!(pages.get(*page), Some(Some(_)))).count() as u32;
                pages.fill(range, &None);
                self.clear_words(offset, whole.start * PAGE - offset);
                self.clear_words(whole.end * PAGE, end - whole.end * PAGE);
            }
        }
    }

    fn clear_words(&mut self, offset: u64, length: u64) {
        words_of(offset, length).for_each(|(word, mask)| self.change(word, |marks| marks & !mask));
    }

    /// Notes that `length` bytes at `offset` are unwritten.
    pub fn set(&mut self, offset: u64, length: u64) {
        words_of(offset, length).for_each(|(word, mask)| self.change(word, |marks| marks | mask));
    }

    /// Calls `visit` with every run of unwritten bytes among `length` at `offset`: its first
    /// byte and its length.
    pub fn for_each_run(&self, offset: u64, length: u64, mut visit: impl FnMut(u64, u64)) {
        for (word, mask) in words_of(offset, length) {
            let mut marks = self.word(word) & mask;
            while marks != 0 {
                let first = marks.trailing_zeros();
                let count = (!(marks >> first)).trailing_zeros();
                visit(word * WORD + u64::from(first), count.into());
                marks &= !self::mask(first.into(), count.into());
            }
        }
    }

    fn change(&mut self, word: u64, change: impl Fn(u64) -> u64) {
        let update = |marks: &mut u64, left: &mut u32| {
            let before = *marks;
            *marks = change(before);
            *left = *left + u32::from(*marks != 0) - u32::from(before != 0);
        };
        match self {
            Self::Word(marks) => *marks = change(*marks),
            Self::Flat(left, marks) => update(&mut marks[word as usize], left),
            Self::Paged(left, pages) => {
                let slot =
                    pages.get_mut((word / (PAGE / WORD)) as usize).expect("the range lies within the object");
                let new = slot.is_none();
                let page = slot.get_or_insert_with(|| Arc::new(Page { left: 0, words: [0; _] }));
                let page = Arc::make_mut(page);
                update(&mut page.words[(word % (PAGE / WORD)) as usize], &mut page.left);
                let gone = page.left == 0;
                *left = *left + u32::from(new) - u32::from(gone);
                if gone {
                    *slot = None;
                }
            }
        }
    }
}

/// The lowest `count` bits, all if there are no more.
fn low(count: u64) -> u64 {
    if count >= WORD { u64::MAX } else { (1 << count) - 1 }
}

/// `length` bits from bit `offset` of a word.
#[inline]
fn mask(offset: u64, length: u64) -> u64 {
    if length == 0 { 0 } else { low(length) << offset }
}

/// The words that `length` bytes at `offset` have marks in, with the bits there.
fn words_of(offset: u64, length: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = offset + length;
    let words = if length == 0 { 0..0 } else { offset / WORD..end.div_ceil(WORD) };
    words.map(move |word| {
        let (first, last) = (offset.max(word * WORD), end.min((word + 1) * WORD));
        (word, mask(first % WORD, last - first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every representation against a plain array.
    #[test]
    fn marks_agree_with_an_array_of_bytes() {
        let mut random = 12345_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        for size in [1, 7, 64, 65, 300, FLAT_LIMIT, FLAT_LIMIT + 1, 3 * FLAT_LIMIT + 77] {
            let mut marks = Unwritten::all(size).expect("some bytes");
            let mut plain = vec![true; size as usize];
            for round in 0..200 {
                let offset = next(size);
                let length = next((size - offset).min(if round % 3 == 0 { 9000 } else { 9 })) + 1;
                let range = offset as usize..(offset + length) as usize;
                assert_eq!(marks.any(offset, length), plain[range.clone()].contains(&true));
                if round % 4 == 3 {
                    marks.set(offset, length);
                    plain[range].fill(true);
                } else {
                    marks.clear(offset, length);
                    plain[range].fill(false);
                }
                assert_eq!(marks.is_empty(), !plain.contains(&true));
            }
            let mut seen = vec![false; size as usize];
            marks.for_each_run(0, size, |first, count| {
                seen[first as usize..(first + count) as usize].fill(true);
            });
            assert_eq!(seen, plain);
            marks.clear(0, size);
            assert!(marks.is_empty() && !marks.any(0, size));
            let mut some = Unwritten::none(size);
            assert!(some.is_empty());
            some.set(size - 1, 1);
            assert!(some.any(0, size) && !some.is_empty());
        }
        assert!(Unwritten::all(0).is_none());
    }
}
