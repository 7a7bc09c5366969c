//! The address space: which objects exist, and where.

mod object;
mod radix;

pub use object::{Life, Object, Origin, Site, SiteKind};
pub use radix::Radix;

use std::sync::Arc;
use symx_ir::Program;
use symx_ir::address::{Cell, LARGE_CELLS, LARGE_LIMIT, SMALL_CELLS, SMALL_LIMIT};
use symx_trace::ThreadId;

/// Small cells each thread allocates from before it looks elsewhere.
const THREAD_REGION_LOG2: u32 = 19;
const THREAD_REGIONS: u32 = SMALL_CELLS >> THREAD_REGION_LOG2;
/// Large cells each thread starts from.
const LARGE_REGION: u32 = 256;

/// All memory objects of a state. A clone shares everything.
///
/// Each thread takes cells from a region of its own, so that a thread's addresses do not depend on what other
/// threads allocate: executions that differ only in the order of independent steps agree on addresses.
#[derive(Clone, Debug, Default)]
pub struct AddressSpace {
    small: Radix<Arc<Object>>,
    large: Radix<Arc<Object>>,
    /// Per thread, the next cell to try: (small, large), relative to its region.
    cursors: imbl::Vector<(u32, u32)>,
    /// Small and large cells the program's globals take up.
    globals: (u32, u32),
}

/// No cell is left for a new object, or it is larger than any cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

impl AddressSpace {
    /// The address space at program start: the globals.
    pub fn new(program: &Program) -> Self {
        let mut space = Self::default();
        let origin = Origin { thread: ThreadId::MAIN, span: symx_ir::SpanId::UNKNOWN };
        for (number, global) in program.globals.iter().enumerate() {
            let site = Site::new(if global.thread_local {
                SiteKind::ThreadLocal(number as u32)
            } else {
                SiteKind::Global(number as u32)
            });
            let mut object = Object::new(global.address, global.size, site, origin, &global.bytes);
            object.read_only = global.constant;
            let counter = if global.cell.is_large() { &mut space.globals.1 } else { &mut space.globals.0 };
            *counter = (*counter).max(global.cell.index() + 1);
            space.put(global.cell, object);
        }
        space
    }

    fn put(&mut self, cell: Cell, object: Object) {
        let table = if cell.is_large() { &mut self.large } else { &mut self.small };
        table.insert(cell.index(), Arc::new(object));
    }

    /// The object whose cell `address` falls in, alive or not; the address need not be within its bounds.
    #[inline]
    pub fn near(&self, address: u64) -> Option<&Object> {
        self.get(Cell::of(address)?)
    }

    /// The object in `cell`.
    #[inline]
    pub fn get(&self, cell: Cell) -> Option<&Object> {
        let table = if cell.is_large() { &self.large } else { &self.small };
        table.get(cell.index()).map(|object| &**object)
    }

    /// The object in `cell`, for changing.
    #[inline]
    pub fn get_mut(&mut self, cell: Cell) -> Option<&mut Object> {
        let table = if cell.is_large() { &mut self.large } else { &mut self.small };
        table.get_mut(cell.index()).map(Arc::make_mut)
    }

    /// Makes an object of `size` zero bytes for `thread`, aligned to `2^align_log2` bytes.
    pub fn allocate(
        &mut self,
        thread: ThreadId,
        size: u64,
        align_log2: u8,
        site: Site,
        origin: Origin,
    ) -> Result<u64, OutOfMemory> {
        let small = size <= SMALL_LIMIT && align_log2 <= 15;
        if size > LARGE_LIMIT || align_log2 > 31 {
            return Err(OutOfMemory);
        }
        while self.cursors.len() <= thread.index() {
            self.cursors.push_back((0, 0));
        }
        let cursor = self.cursors[thread.index()];
        let (table, reserved, cells) = if small {
            (&self.small, self.globals.0, SMALL_CELLS)
        } else {
            (&self.large, self.globals.1, LARGE_CELLS)
        };
        let region = if small {
            (thread.0 % THREAD_REGIONS) << THREAD_REGION_LOG2
        } else {
            thread.0 * LARGE_REGION % LARGE_CELLS
        };
        let mut index = (region + if small { cursor.0 } else { cursor.1 }) % cells;
        let mut tried = 0;
        // Cells are taken in order and come round again only when all were used once, so that a dangling pointer
        // meets its old object for as long as possible.
        loop {
            let free = match table.get(index) {
                None => index >= reserved,
                Some(object) => tried >= 1 && index >= reserved && object.life != Life::Live,
            };
            if free {
                break;
            }
            tried += 1;
            index = (index + 1) % cells;
            if tried > cells {
                return Err(OutOfMemory);
            }
        }
        let next = index.wrapping_sub(region).wrapping_add(1);
        let cursor = &mut self.cursors[thread.index()];
        if small {
            cursor.0 = next;
        } else {
            cursor.1 = next;
        }
        let cell = if small { Cell::small(index) } else { Cell::large(index) };
        let base = cell.base(align_log2);
        self.put(cell, Object::new(base, size, site, origin, &[]));
        Ok(base)
    }

    /// Forgets the object in `cell` altogether; its cell may be used again at once.
    pub fn forget(&mut self, cell: Cell) {
        if cell.is_large() {
            self.large.remove(cell.index());
        } else {
            self.small.remove(cell.index());
        }
    }

    /// Calls `visit` with every object.
    pub fn for_each(&self, mut visit: impl FnMut(&Object)) {
        self.small.for_each(|_, object| visit(object));
        self.large.for_each(|_, object| visit(object));
    }
}
