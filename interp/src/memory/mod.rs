//! The address space: which objects exist, and where.

pub mod byte_string;
mod bytes;
pub mod cause;
mod object;
mod page_table;
pub mod pieces;
mod radix;
mod site;
mod unwritten;
mod window;

pub use object::{Contents, Life, Object};
pub use radix::Radix;
pub use site::{Allocation, Origin, Site, SiteKind};
pub(crate) use window::{View, Windows};

use crate::shared::Shared;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;
use symx_ir::Program;
use symx_ir::address::{Cell, LARGE_CELLS, LARGE_LIMIT, SMALL_CELLS, SMALL_LIMIT};
use symx_trace::ThreadId;

/// Small cells each thread allocates from before it looks elsewhere.
const THREAD_REGION_LOG2: u32 = 19;
const THREAD_REGIONS: u32 = SMALL_CELLS >> THREAD_REGION_LOG2;
/// Large cells each thread starts from.
const LARGE_REGION: u32 = 256;

/// Objects held outside the tables.
const HELD: usize = 4;

/// All memory objects of a state. A clone shares everything.
///
/// The objects written last are held outside the tables, each in the one place its cell maps to. Writing to
/// them again costs no walk through nodes that must all be unshared. A stack object often comes and goes
/// without ever being in a table. The table's copy of a held object is out of date.
///
/// Each thread takes cells from a region of its own, so that a thread's addresses do not depend on what other
/// threads allocate. Executions that differ only in the order of independent steps agree on addresses.
#[derive(Clone, Debug, Default)]
pub struct AddressSpace {
    held: [Option<Arc<Object>>; HELD],
    small: Radix<Arc<Object>>,
    large: Radix<Arc<Object>>,
    taken: Shared<Taken>,
    /// Changes with every change, so that windows on an older state of things are known. The low bits count
    /// changes, the high ones those that were no more than [numbers put into objects](Self::put_word).
    version: u64,
}

/// A number put somewhere, in the count of changes.
const WORD_PUT: u64 = 1 << 44;

/// The common part of address spaces that differ at most in [numbers put into
/// objects](AddressSpace::put_word).
#[derive(Clone, Debug)]
pub(crate) struct Ground(Shared<Taken>);

impl Ground {
    /// Whether an address space stands on it.
    pub fn is_of(&self, space: &AddressSpace) -> bool {
        self.0.is_same(&space.taken) && space.stands_on_ground()
    }
}

/// Which cells are taken.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// Per thread, the next cell to try: (small, large), relative to its region.
    cursors: SmallVec<[(u32, u32); 4]>,
    /// Small and large cells the program's globals take up.
    globals: (u32, u32),
    /// After how many changes this became the [ground](Ground) of address spaces.
    ground: Option<u64>,
}

/// No cell is left for a new object, or it is larger than any cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory;

/// Which of the cells that its thread allocates from a cell is; small and large ones are numbered apart.
pub(crate) fn number_in_region(cell: Cell) -> u32 {
    /// Far beyond the small cells of a region.
    const LARGE: u32 = 1 << 31;
    match cell.is_large() {
        true => LARGE + cell.index() % LARGE_REGION,
        false => cell.index() % (1 << THREAD_REGION_LOG2),
    }
}

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
            let globals = &mut space.taken.globals;
            let counter = if global.cell.is_large() { &mut globals.1 } else { &mut globals.0 };
            *counter = (*counter).max(global.cell.index() + 1);
            space.put(global.cell, object);
        }
        space
    }

    fn put(&mut self, cell: Cell, object: Object) {
        self.version += 1;
        self.table_mut(cell).take(cell.index());
        self.hold(cell, Arc::new(object));
    }

    fn table(&self, cell: Cell) -> &Radix<Arc<Object>> {
        if cell.is_large() { &self.large } else { &self.small }
    }

    fn table_mut(&mut self, cell: Cell) -> &mut Radix<Arc<Object>> {
        if cell.is_large() { &mut self.large } else { &mut self.small }
    }

    /// Holds an object; what its place held goes back to its table.
    fn hold(&mut self, cell: Cell, object: Arc<Object>) {
        if let Some(object) = self.held[place(cell)].replace(object)
            && let other = object.cell()
            && other != cell
            // If it was lent and has not changed since, it is there.
            && !self.table(other).get(other.index()).is_some_and(|there| Arc::ptr_eq(there, &object))
        {
            self.table_mut(other).insert(other.index(), object);
        }
    }

    /// The object whose cell `address` falls in, alive or not; the address need not be within its bounds.
    #[inline]
    pub fn near(&self, address: u64) -> Option<&Object> {
        self.get(Cell::of(address)?)
    }

    /// The object in `cell`.
    #[inline(always)]
    pub fn get(&self, cell: Cell) -> Option<&Object> {
        if let Some(object) = &self.held[place(cell)]
            && object.cell() == cell
        {
            return Some(object);
        }
        self.table(cell).get(cell.index()).map(|object| &**object)
    }

    /// A number that changes with every access for writing, allocation and end of an object.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes part in a history of changes that has come to this number. If the history `goes_on`, its next
    /// part has a ground.
    pub(crate) fn continue_from(&mut self, version: u64, goes_on: bool) {
        self.version = version;
        if goes_on {
            self.begin_ground();
        }
    }

    /// Puts a number where there is one, in a live object.
    pub(crate) fn put_word(&mut self, cell: Cell, offset: u64, length: u64, word: u64) {
        let version = self.version;
        if let Some(object) = self.get_mut(cell) {
            object.write_word(offset, length, word);
            self.version = version.wrapping_add(WORD_PUT);
        }
    }

    /// Counts changes that were made and unmade: the [numbers put](Self::put_word) that others have replaced.
    pub(crate) fn count_puts(&mut self, count: u64) {
        self.version = self.version.wrapping_add(WORD_PUT.wrapping_mul(count));
    }

    /// All that has changed since the version was `version` is a number that could
    /// have been [put](Self::put_word) there.
    pub(crate) fn has_only_put_since(&mut self, version: u64) {
        if self.version != version {
            self.version = version.wrapping_add(WORD_PUT);
        }
    }

    fn stands_on_ground(&self) -> bool {
        self.taken.ground == Some(self.version % WORD_PUT)
    }

    /// The part that this address space shares with those that differ from it at most in numbers put into
    /// objects, if that is [known](Self::know_ground).
    pub(crate) fn ground(&self) -> Option<Ground> {
        self.stands_on_ground().then(|| Ground(self.taken.clone()))
    }

    /// A number that distinguishes the ground from most others.
    pub(crate) fn ground_address(&self) -> usize {
        self.taken.address()
    }

    /// From now on clones are known by what they have in common.
    pub(crate) fn know_ground(&mut self) {
        if !self.stands_on_ground() {
            self.begin_ground();
        }
    }

    /// From now on this address space has the ground of another one, from which it differs at most in
    /// numbers put into objects.
    pub(crate) fn adopt_ground(&mut self, other: &Self) {
        let Some(ground) = other.taken.ground else { return };
        self.taken = other.taken.clone();
        self.version = (self.version - self.version % WORD_PUT).wrapping_add(WORD_PUT) + ground;
    }

    /// As [`know_ground`](Self::know_ground); what others may have put somewhere before is no matter.
    pub fn begin_ground(&mut self) {
        let ground = Some(self.version % WORD_PUT);
        self.taken = Shared::new(Taken { ground, ..(*self.taken).clone() });
    }

    /// Whether every object is what it is in `other`, which may be a clone, or a clone of the same. Of an
    /// object that came and went in only one of them, nothing that is the same in both can know.
    pub fn is_as_in(&self, other: &Self) -> bool {
        let is_same = |one: Option<&Object>, other: Option<&Object>| match (one, other) {
            (Some(one), Some(other)) => one == other,
            (Some(only), None) | (None, Some(only)) => only.life != Life::Live,
            (None, None) => true,
        };
        self.has_same_objects(other, is_same)
    }

    /// Takes the place of another address space: cells that were taken there are not taken again soon.
    pub(crate) fn succeed(&mut self, other: &Self) {
        self.taken.cursors = other.taken.cursors.clone();
        self.version = other.version.wrapping_add(1);
    }

    /// The object in `cell`, to be handed to another address space.
    pub(crate) fn lent(&self, cell: Cell) -> Option<Arc<Object>> {
        let held = self.held[place(cell)].as_ref().filter(|held| held.cell() == cell);
        held.or_else(|| self.table(cell).get(cell.index())).cloned()
    }

    /// Has an object of another address space in `cell`, which has nothing else in it.
    pub(crate) fn borrow(&mut self, cell: Cell, object: Arc<Object>) {
        if self.lent(cell).is_some_and(|present| Arc::ptr_eq(&present, &object)) {
            return;
        }
        self.version += 1;
        self.table_mut(cell).take(cell.index());
        self.hold(cell, object);
    }

    /// Counts changes apart from those of the address space of which it is a copy: the two must not have the
    /// same version while they differ.
    pub(crate) fn part(&mut self, process: ThreadId) {
        const BETWEEN: u64 = 1 << 32;
        self.version = self.version.wrapping_add(u64::from(process.0 + 1).wrapping_mul(BETWEEN) % WORD_PUT);
        self.begin_ground();
    }

    /// The object in `cell`, for changing.
    #[inline(always)]
    pub fn get_mut(&mut self, cell: Cell) -> Option<&mut Object> {
        self.version += 1;
        if self.held[place(cell)].as_ref().is_none_or(|held| held.cell() != cell) {
            self.fetch(cell)?;
        }
        self.held[place(cell)].as_mut().map(Arc::make_mut)
    }

    /// Holds an object that is in its table.
    #[cold]
    fn fetch(&mut self, cell: Cell) -> Option<()> {
        let object = self.table_mut(cell).lend(cell.index())?;
        self.hold(cell, object);
        Some(())
    }

    /// Makes an object of `size` bytes for the thread of `origin`, aligned to `2^align_log2` bytes.
    pub fn allocate(
        &mut self,
        size: u64,
        align_log2: u8,
        site: Site,
        origin: Origin,
        contents: Contents,
    ) -> Result<u64, OutOfMemory> {
        let thread = origin.thread;
        let small = size <= SMALL_LIMIT && align_log2 <= 15;
        if size > LARGE_LIMIT || align_log2 > 31 {
            return Err(OutOfMemory);
        }
        while self.taken.cursors.len() <= thread.index() {
            self.taken.cursors.push((0, 0));
        }
        let (cursor, globals) = (self.taken.cursors[thread.index()], self.taken.globals);
        let reserved = if small { globals.0 } else { globals.1 };
        let cell_at = |index| if small { Cell::small(index) } else { Cell::large(index) };
        let (region, cells) = self.region(thread, small);
        let mut index = (region + if small { cursor.0 } else { cursor.1 }) % cells;
        let mut tried = 0;
        // Cells are taken in order and reused only when all were used once. So a dangling pointer meets its
        // old object for as long as possible.
        loop {
            let free = match self.get(cell_at(index)) {
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
        let cursor = &mut self.taken.cursors[thread.index()];
        if small {
            cursor.0 = next;
        } else {
            cursor.1 = next;
        }
        let cell = cell_at(index);
        let base = cell.base(align_log2);
        let mut object = Object::new(base, size, site, origin, &[]);
        if contents == Contents::Unwritten {
            object.make_unwritten();
        }
        self.put(cell, object);
        Ok(base)
    }

    /// Whether there was an object at `address` that was [forgotten](Self::forget): cells are taken in order.
    pub fn was_forgotten(&self, address: u64) -> bool {
        let Some(cell) = Cell::of(address).filter(|cell| self.get(*cell).is_none()) else { return false };
        (0..).zip(self.taken.cursors.iter()).any(|(thread, cursor)| {
            let (next, _) = self.region(ThreadId(thread), !cell.is_large());
            let taken = if cell.is_large() { cursor.1 } else { cursor.0 };
            cell.index().wrapping_sub(next) < taken
        })
    }

    /// Where a thread's region of small or large cells begins, and how many cells there are in all.
    fn region(&self, thread: ThreadId, small: bool) -> (u32, u32) {
        match small {
            true => ((thread.0 % THREAD_REGIONS) << THREAD_REGION_LOG2, SMALL_CELLS),
            false => (thread.0 * LARGE_REGION % LARGE_CELLS, LARGE_CELLS),
        }
    }

    /// Forgets the object in `cell` altogether; its cell may be used again at once.
    pub fn forget(&mut self, cell: Cell) {
        self.version += 1;
        self.held[place(cell)].take_if(|held| held.cell() == cell);
        self.table_mut(cell).remove(cell.index());
    }

    /// Whether two address spaces hold the same objects; of those in the cells `except` the contents do not
    /// matter. Objects with bytes that are not plain are the same only if they are shared.
    pub fn is_same(&self, other: &Self, except: &[Cell]) -> bool {
        let is_same = |one: &Object, other: &Object| {
            one.equals_but_contents(other) && (except.contains(&one.cell()) || one.has_same_contents(other))
        };
        let same_taken = self.taken.is_same(&other.taken)
            || (&self.taken.cursors, self.taken.globals) == (&other.taken.cursors, other.taken.globals);
        let are_same = |one: Option<&Object>, other: Option<&Object>| match (one, other) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same_taken && self.has_same_objects(other, are_same)
    }

    /// Visits the cells in which there may be something else than in another address space: what they share
    /// is left out.
    pub(crate) fn for_each_changed(&self, other: &Self, visit: impl FnMut(Cell)) {
        let visit = RefCell::new(visit);
        let seen = |one: Option<&Object>, other: Option<&Object>| {
            one.or(other).into_iter().for_each(|object| visit.borrow_mut()(object.cell()));
            true
        };
        self.has_same_objects(other, seen);
    }

    /// Whether what two address spaces hold in each cell is the same by `is_same`, where it is not shared.
    fn has_same_objects(
        &self,
        other: &Self,
        is_same: impl Fn(Option<&Object>, Option<&Object>) -> bool,
    ) -> bool {
        let held: SmallVec<[Cell; 2 * HELD]> =
            self.held.iter().chain(&other.held).flatten().map(|object| object.cell()).collect();
        let is_held = |cell| held.contains(&cell);
        held.iter().all(|cell| match (self.get(*cell), other.get(*cell)) {
            (Some(one), Some(other)) if std::ptr::eq(one, other) => true,
            (one, other) => is_same(one, other),
        }) && self.small.agrees(&other.small, |index| is_held(Cell::small(index)), &is_same)
            && self.large.agrees(&other.large, |index| is_held(Cell::large(index)), &is_same)
    }

    /// Calls `visit` with every object, in order of their cells, small ones first.
    pub fn for_each(&self, mut visit: impl FnMut(&Object)) {
        let (mut small, mut large) = (self.small.clone(), self.large.clone());
        for object in self.held.iter().flatten() {
            let cell = object.cell();
            let table = if cell.is_large() { &mut large } else { &mut small };
            table.insert(cell.index(), Arc::clone(object));
        }
        small.for_each(|_, object| visit(object));
        large.for_each(|_, object| visit(object));
    }
}

/// Where an object is held: those that threads made first in places of their own.
#[inline(always)]
fn place(cell: Cell) -> usize {
    (cell.0 ^ cell.0 >> THREAD_REGION_LOG2) as usize % HELD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_wherever_they_are_and_forks_do_not_see_each_other() {
        let origin = Origin { thread: ThreadId::MAIN, span: symx_ir::SpanId::UNKNOWN };
        let mut space = AddressSpace::default();
        let cells: Vec<Cell> = (0..3 * HELD as u64)
            .map(|number| {
                let size = if number % 2 == 0 { 8 } else { SMALL_LIMIT + 1 };
                let base = space.allocate(size, 3, Site(number), origin, Contents::Zeros);
                Cell::of(base.expect("room")).expect("objects lie in cells")
            })
            .collect();
        let word = |space: &AddressSpace, cell| space.get(cell).map(|object| object.read_word(0, 8));
        for (number, cell) in cells.iter().enumerate() {
            space.get_mut(*cell).expect("made above").write_word(0, 8, number as u64);
        }
        let mut fork = space.clone();
        for cell in &cells {
            fork.get_mut(*cell).expect("made above").write_word(0, 8, 99);
        }
        fork.forget(cells[0]);
        fork.forget(cells[3 * HELD - 1]);
        assert_eq!((word(&fork, cells[0]), word(&fork, cells[3 * HELD - 1])), (None, None));
        assert!(fork.get_mut(cells[0]).is_none());
        for (number, cell) in cells.iter().enumerate() {
            assert_eq!(word(&space, *cell), Some(number as u64));
        }
        for cell in &cells[1..3 * HELD - 1] {
            assert_eq!(word(&fork, *cell), Some(99));
        }
        let (mut bases, mut of_fork) = (Vec::new(), 0);
        space.for_each(|object| bases.push(object.base));
        fork.for_each(|_| of_fork += 1);
        assert!(bases.len() == cells.len() && bases.is_sorted());
        assert_eq!(of_fork, cells.len() - 2);
    }
}
