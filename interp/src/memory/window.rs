//! Windows: pages of objects that the running thread may read or write without asking again.

use super::AddressSpace;

const PAGE_LOG2: u32 = 12;
const PAGE: u64 = 1 << PAGE_LOG2;
/// Windows held, each in the one place its page maps to.
const COUNT: usize = 512;
/// Keys are page numbers, below 2^52, with an epoch above them.
const EPOCH_SHIFT: u32 = 64 - PAGE_LOG2;

/// A page of an address space, as far as an object fills it from its start on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    key: u64,
    bytes: *mut u8,
    /// How many of its bytes may be read.
    readable: u64,
    /// How many of its bytes may be written.
    writable: u64,
}

/// The windows open on an address space, valid until that changes in any other way than through them.
///
/// A window is a short cut for a run of one thread. It is opened after all that decides about an access has
/// been asked. It is closed, with all others, before anything could decide otherwise.
#[derive(Debug)]
pub struct Windows {
    windows: Box<[Window; COUNT]>,
    epoch: u64,
    version: u64,
}

impl Default for Windows {
    fn default() -> Self {
        let closed = Window { key: 0, bytes: std::ptr::null_mut(), readable: 0, writable: 0 };
        Self { windows: Box::new([closed; COUNT]), epoch: 1, version: 0 }
    }
}

impl Windows {
    /// Closes all windows.
    pub fn close(&mut self) {
        self.epoch += 1;
        if self.epoch >> (64 - EPOCH_SHIFT) != 0 {
            *self = Self::default();
        }
    }

    /// Closes all windows if `space` has changed since they were opened.
    #[inline]
    pub fn refresh(&mut self, space: &AddressSpace) {
        if self.version != space.version {
            self.close();
            self.version = space.version;
        }
    }

    /// A view that finds the windows that are open now.
    #[inline]
    pub fn view(&self) -> View {
        View { windows: &raw const self.windows[0], tag: self.epoch << EPOCH_SHIFT }
    }

    /// Opens a window on the page of `address` for reading or writing `length` bytes there. The object that
    /// owns the page must be alive and, for writing, not read-only.
    ///
    /// Returns whether the access is now possible.
    pub fn open(&mut self, space: &mut AddressSpace, address: u64, length: u64, write: bool) -> bool {
        self.refresh(space);
        let (page, offset) = (address >> PAGE_LOG2, address % PAGE);
        let there = self.windows[place(page)];
        if there.key == page | self.epoch << EPOCH_SHIFT && (!write || there.writable > 0) {
            return offset + length <= there.readable;
        }
        let Some(object) = space.near(address) else { return false };
        let start = (address - offset).wrapping_sub(object.base);
        // Objects are aligned to pages unless the address space's layout is changed.
        if !object.base.is_multiple_of(PAGE) || start >= object.size {
            return false;
        }
        let Some(seen) = object.plain_page(start) else { return false };
        let (mut bytes, count) = (seen.as_ptr().cast_mut(), seen.len() as u64);
        if write {
            let Some(page) = super::Cell::of(address)
                .and_then(|cell| space.get_mut(cell))
                .and_then(|object| object.plain_page_mut(start))
            else {
                return false;
            };
            // The object was shared and has been copied: windows on its other pages show
            // the copy others keep.
            if page.as_mut_ptr() != bytes {
                self.close();
                bytes = page.as_mut_ptr();
            }
            self.version = space.version;
        }
        let key = page | self.epoch << EPOCH_SHIFT;
        let writable = if write { count } else { 0 };
        self.windows[place(page)] = Window { key, bytes, readable: count, writable };
        offset + length <= count
    }
}

/// Where a page's window is held. Neighbouring pages, and neighbouring objects, get different places.
#[inline(always)]
fn place(page: u64) -> usize {
    (page + (page >> 5)) as usize % COUNT
}

/// Finds open windows. It is to be taken again whenever one was opened or closed.
#[derive(Clone, Copy)]
pub struct View {
    windows: *const Window,
    tag: u64,
}

impl View {
    /// The `N` bytes at `address` in an open window, for reading.
    ///
    /// # Safety
    /// The windows this is a view of exist and are as they were when it was taken. Their address space has
    /// not changed but through them.
    #[inline(always)]
    pub unsafe fn bytes<const N: usize>(self, address: u64) -> Option<*const [u8; N]> {
        let page = address >> PAGE_LOG2;
        // SAFETY: `place` is below the count of windows.
        let window = unsafe { &*self.windows.add(place(page)) };
        let offset = address % PAGE;
        let open = window.key == page | self.tag && offset + N as u64 <= window.readable;
        // SAFETY: the window has `readable` bytes, and is valid as the caller promises.
        open.then(|| unsafe { window.bytes.add(offset as usize) }.cast_const().cast())
    }

    /// The `N` bytes at `address` in an open window, for writing.
    ///
    /// # Safety
    /// As for [`bytes`](Self::bytes).
    #[inline(always)]
    pub unsafe fn bytes_mut<const N: usize>(self, address: u64) -> Option<*mut [u8; N]> {
        let page = address >> PAGE_LOG2;
        // SAFETY: `place` is below the count of windows.
        let window = unsafe { &*self.windows.add(place(page)) };
        let offset = address % PAGE;
        let open = window.key == page | self.tag && offset + N as u64 <= window.writable;
        // SAFETY: the window has `writable` bytes, and is valid as the caller promises.
        open.then(|| unsafe { window.bytes.add(offset as usize) }.cast())
    }
}
