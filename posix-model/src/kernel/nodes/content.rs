//! The bytes of a file: pages that copies of a state share until one of them writes.

use imbl::{OrdMap, Vector};
use std::sync::Arc;
use symx_expr::Term;
use symx_interp::memory::byte_string::Stretch;

const PAGE: usize = 4096;

/// The bytes of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Content {
    pages: Vector<Arc<[u8; PAGE]>>,
    length: u64,
    /// Bytes that are not concrete, by position.
    symbolic: OrdMap<u64, Term>,
    /// Whether it is as it was read from the host.
    pub is_of_host: bool,
}

impl Content {
    pub fn new(bytes: &[u8]) -> Self {
        let mut content = Self::default();
        content.write(0, bytes);
        content
    }

    /// The content of a file of the host's.
    pub fn of_host(bytes: &[u8]) -> Self {
        Self { is_of_host: true, ..Self::new(bytes) }
    }

    /// Count of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// At most `count` bytes from `position`, fewer at the end.
    pub fn read(&self, position: u64, count: u64) -> Stretch {
        let count = self.length.saturating_sub(position).min(count) as usize;
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            let at = position as usize + bytes.len();
            let part = (PAGE - at % PAGE).min(count - bytes.len());
            bytes.extend_from_slice(&self.pages[at / PAGE][at % PAGE..][..part]);
        }
        let symbolic = self.symbolic.range(position..position.saturating_add(count as u64));
        Stretch { bytes, symbolic: symbolic.map(|(at, term)| (at - position, *term)).collect() }
    }

    /// Overwrites from `position` on, growing as needed; a gap is filled with zeros.
    pub fn write(&mut self, position: u64, bytes: &[u8]) {
        self.is_of_host = false;
        let end = position + bytes.len() as u64;
        if end > self.length {
            self.resize(end);
        }
        let mut done = 0;
        while done < bytes.len() {
            let at = position as usize + done;
            let part = (PAGE - at % PAGE).min(bytes.len() - done);
            let page = Arc::make_mut(&mut self.pages[at / PAGE]);
            page[at % PAGE..][..part].copy_from_slice(&bytes[done..done + part]);
            done += part;
        }
        self.forget_symbolic(position, end);
    }

    /// Like [`write`](Self::write), symbolic bytes included.
    pub fn put(&mut self, position: u64, stretch: &Stretch) {
        self.write(position, &stretch.bytes);
        for (at, term) in &stretch.symbolic {
            self.symbolic.insert(position + at, *term);
        }
    }

    /// Cuts off, or fills up with zeros.
    pub fn resize(&mut self, length: u64) {
        self.is_of_host = false;
        if length < self.length {
            self.forget_symbolic(length, self.length);
            self.pages.truncate((length as usize).div_ceil(PAGE));
            let within = length as usize % PAGE;
            if within > 0 {
                let last = self.pages.len() - 1;
                Arc::make_mut(&mut self.pages[last])[within..].fill(0);
            }
        } else {
            let zero = Arc::new([0; PAGE]);
            while self.pages.len() < (length as usize).div_ceil(PAGE) {
                self.pages.push_back(zero.clone());
            }
        }
        self.length = length;
    }

    fn forget_symbolic(&mut self, start: u64, end: u64) {
        if self.symbolic.is_empty() {
            return;
        }
        let gone: Vec<u64> = self.symbolic.range(start..end).map(|(at, _)| *at).collect();
        for at in gone {
            self.symbolic.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_grow_and_leave_zeros_in_gaps() {
        let mut content = Content::new(b"abc");
        content.write(5000, b"xyz");
        assert_eq!(content.length(), 5003);
        assert_eq!(content.read(0, 5).bytes, b"abc\0\0");
        assert_eq!(content.read(4998, 100).bytes, b"\0\0xyz");
        assert_eq!(content.read(6000, 1).bytes, b"");
    }

    #[test]
    fn what_was_cut_off_does_not_come_back() {
        let mut content = Content::new(b"secret");
        let before = content.clone();
        content.resize(2);
        content.resize(6);
        assert_eq!(content.read(0, 6).bytes, b"se\0\0\0\0");
        assert_eq!(before.read(0, 6).bytes, b"secret", "a copy is not touched");
    }

    #[test]
    fn symbolic_bytes_are_read_back_until_something_overwrites_them() {
        let terms = symx_expr::Terms::new();
        let symbol = terms.symbol("x", 8);
        let mut content = Content::new(b"abcdef");
        content.put(2, &Stretch { bytes: vec![0, b'y', 0], symbolic: vec![(0, symbol), (2, symbol)] });
        assert_eq!(content.read(1, 3).symbolic, [(1, symbol)]);
        assert_eq!(content.read(0, 6).bytes, b"ab\0y\0f");
        content.write(4, b"e");
        assert_eq!(content.read(0, 6).symbolic, [(2, symbol)]);
        content.resize(2);
        content.resize(6);
        assert!(content.read(0, 6).is_concrete());
    }
}
