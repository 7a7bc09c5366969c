//! How far fixes are in an execution: which thread is inside an atomic block, which one is waited for.

use smallvec::SmallVec;
use symx_ir::FunctionId;
use symx_memmodel::SyncObject;
use symx_trace::{Access, Footprint, Mode, Place, ThreadId};

/// The number of the lock that atomic blocks take; no address.
pub(crate) const BLOCKS: u64 = u64::MAX;

/// The lock that atomic blocks take, as a place that steps touch.
pub const ATOMIC_BLOCKS: Place = Place::Object(BLOCKS);

/// The number of the object that the first order's steps post to and wait at; further ones lie below.
pub(crate) const FIRST_ORDER: u64 = u64::MAX - 1;

/// Where the locks of bytes are, among the addresses.
const LOCKS: u64 = 1 << 62;
/// Where streams are, among these.
const STREAMS: u64 = 1 << 61;

/// The object that orders threads for the lock or post with this number.
pub(crate) fn of_remedies(number: u64) -> SyncObject {
    (number, 0)
}

/// How far fixes are in an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// Boxed: states are copied all the time, and seldom is a thread inside.
    pub(crate) inside: Option<Box<Inside>>,
    /// Threads that have taken a step that an order is to wait for, and are not done with it.
    pub(crate) passing: Vec<(ThreadId, usize)>,
    /// The orders for which no thread has to wait any more, a bit each.
    pub(crate) done: u64,
    /// Those whose later step has come.
    pub(crate) followed: u64,
    /// How often threads have come to the places of orders of visits, by order and end of it. It has as many
    /// entries as were needed so far.
    pub(crate) visits: Vec<[Visits; 2]>,
}

/// A thread's visits to one place, as far as they are counted: up to the one that an order is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Visits {
    pub(crate) begun: u32,
    /// Whether the last one is not over.
    pub(crate) is_there: bool,
}

impl Applied {
    pub(crate) fn visits(&self, order: usize, end: usize) -> Visits {
        self.visits.get(order).map_or_else(Visits::default, |visits| visits[end])
    }

    fn visits_mut(&mut self, order: usize, end: usize) -> &mut Visits {
        if self.visits.len() <= order {
            self.visits.resize(order + 1, Default::default());
        }
        &mut self.visits[order][end]
    }

    /// A thread is about to take a step at the place of its visit `number`.
    pub(crate) fn come(&mut self, order: usize, end: usize, number: u32) {
        let visits = self.visits(order, end);
        if !visits.is_there && visits.begun <= number {
            *self.visits_mut(order, end) = Visits { begun: visits.begun + 1, is_there: true };
        }
    }

    /// It has left the place.
    pub(crate) fn leave(&mut self, order: usize, end: usize) {
        self.visits_mut(order, end).is_there = false;
    }
}

/// A thread inside an atomic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inside {
    pub(crate) thread: ThreadId,
    /// The places it has touched.
    pub(crate) touched: SmallVec<[Touched; 4]>,
    /// Whether it has to wait for others.
    pub(crate) waiting: bool,
    pub(crate) until: Until,
    /// Whether it has come to the end, and its stores are still on their way to memory.
    pub(crate) leaving: bool,
}

/// Where an atomic block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    /// Where the lines of a fix's block do.
    Lines {
        block: usize,
        entry: CodePosition,
        /// Whether the thread has been on the last line.
        at_last: bool,
    },
    /// Where the program has said so as often as it has begun one.
    Told { depth: u32 },
}

/// Bytes from `start` to `end`, exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) written: bool,
}

impl Touched {
    /// The places a step touches that a block may have to itself.
    pub fn by(footprint: &Footprint) -> impl Iterator<Item = Self> {
        footprint.iter().filter_map(|access| {
            let (start, end) = match access.place {
                Place::Memory { start, end } => (start, end),
                Place::Object(address) => (address, address.saturating_add(1)),
                // A place of its own beside the lock.
                Place::Readers(address) => (address + 1, address.saturating_add(2)),
                // Not in memory: the space above addresses has room. Streams that fall together
                // only wait more often.
                Place::Stream(number) => {
                    let place = STREAMS + number % STREAMS;
                    (place, place + 1)
                }
                _ => return None,
            };
            let written = access.mode != Mode::Read && access.mode != Mode::Follow;
            (start < LOCKS).then_some(Self { start, end, written })
        })
    }

    pub fn conflicts(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end && (self.written || other.written)
    }

    pub fn lock(&self, mode: Mode) -> Access {
        Access { place: Place::Memory { start: self.start + LOCKS, end: self.end + LOCKS }, mode }
    }
}

/// Where a thread stands in the program's own code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CodePosition {
    pub(crate) depth: usize,
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
}
