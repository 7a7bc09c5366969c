//! The summary of a function, valid wherever it is called (Voung, Jhala, Lerner: RELAY, FSE 2007). It has the
//! accesses with the locks held there, relative to the arguments. It also says which locks the function
//! acquires and releases, and which threads it creates and waits for.

use super::addresses::{Root, Traced};
use super::alive::{Alive, Site};
use crate::objects::PlaceId;
use crate::offsets::Shift;
use std::collections::BTreeSet;
use std::rc::Rc;
use symx_ir::SpanId;

/// Where a lock is, as seen from a function: at a distance from a root, and with `then`, at a distance from
/// the pointer there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    pub root: Root,
    pub at: i64,
    pub then: Option<i64>,
}

impl Key {
    /// The key of an address at a fixed distance.
    pub fn of(traced: Traced) -> Option<Self> {
        (traced.shift.stride == 0).then_some(Self { root: traced.root, at: traced.shift.add, then: None })
    }
}

/// Which lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum LockName {
    /// One that there is only once, in a variable.
    Known(PlaceId),
    /// The one that atomic sections have in common.
    Section,
    /// As seen from a function.
    Key(Key),
    /// The one at this distance from the accessed place.
    Distance(i64),
    /// The one at this distance from the beginning of the accessed object.
    Instance(i64),
}

/// A lock that is held, by readers if it is shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lock {
    pub name: LockName,
    pub is_shared: bool,
}

/// A lock that is held, with all places where it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Held {
    pub lock: Lock,
    pub places: Rc<[PlaceId]>,
}

/// A lock that may have been released: where it may be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Release {
    /// At this distance from a parameter.
    Parameter(u32, i64),
    Places(Rc<[PlaceId]>),
    Section,
    /// Unknown which.
    Any,
}

/// Locks that may have been released.
pub(crate) type Released = Rc<BTreeSet<Release>>;

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Kind {
    pub writes: bool,
    pub is_atomic: bool,
    /// The memory's life ends.
    pub ends: bool,
}

impl Kind {
    pub const READ: Self = Self { writes: false, is_atomic: false, ends: false };
    pub const WRITE: Self = Self { writes: true, ..Self::READ };
    pub const END: Self = Self { ends: true, ..Self::WRITE };

    pub fn atomic(writes: bool) -> Self {
        Self { writes, is_atomic: true, ends: false }
    }
}

/// The address of an access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Address {
    /// Counted from a parameter.
    Parameter(u32, ShiftKey),
    /// One of these places.
    Places(Rc<[PlaceId]>),
}

/// A shift that can be ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ShiftKey(pub i64, pub u32);

impl ShiftKey {
    pub fn shift(self) -> Shift {
        Shift { add: self.0, stride: self.1 }
    }
}

impl From<Shift> for ShiftKey {
    fn from(shift: Shift) -> Self {
        Self(shift.add, shift.stride)
    }
}

/// An access, relative to the beginning of a function.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// Where the program makes it; `None` while that is inside a library.
    pub span: Option<SpanId>,
    pub kind: Kind,
    pub size: u64,
    /// Whether its address is a multiple of its size.
    pub is_aligned: bool,
    pub address: Address,
    /// Ascending.
    pub locks: Vec<Lock>,
    pub released: Released,
    pub alive: Alive,
}

/// The creation of threads, relative to the beginning of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Start {
    pub site: Site,
    /// Before it.
    pub alive: Alive,
}

/// How a function ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exit {
    pub held: Vec<Held>,
    pub alive: Alive,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub accesses: Vec<Access>,
    pub starts: Vec<Start>,
    /// Where it returns; `None` if it never does.
    pub exit: Option<Exit>,
    /// On any way through it.
    pub released: Released,
    /// At any point in it.
    pub alive: Alive,
}

/// Variants of one access, by locks and history, before they are taken together.
const MOST_VARIANTS: usize = 6;

/// The key of an access: where, how, how many bytes, whether aligned, and at which address.
type Told = (Option<SpanId>, Kind, u64, bool, Address);

/// Accesses by key.
#[derive(Default)]
pub(crate) struct Accesses {
    known: std::collections::BTreeMap<Told, Vec<Access>>,
}

impl Accesses {
    pub fn add(&mut self, access: Access) {
        let key = (access.span, access.kind, access.size, access.is_aligned, access.address.clone());
        let variants = self.known.entry(key).or_default();
        // An access with fewer locks held, after the same history, covers one with more.
        let covers = |one: &Access, other: &Access| {
            one.alive == other.alive
                && one.released.is_superset(&other.released)
                && one.locks.iter().all(|lock| other.locks.contains(lock))
        };
        if variants.iter().any(|known| covers(known, &access)) {
            return;
        }
        variants.retain(|known| !covers(&access, known));
        variants.push(access);
        if variants.len() > MOST_VARIANTS {
            let mut all = std::mem::take(variants).into_iter();
            let Some(mut one) = all.next() else { return };
            for other in all {
                one.locks = common(&one.locks, &other.locks);
                one.released = Rc::new(one.released.union(&other.released).cloned().collect());
                one.alive = one.alive.or(&other.alive);
            }
            variants.push(one);
        }
    }

    pub fn into_list(self) -> Vec<Access> {
        self.known.into_values().flatten().collect()
    }
}

/// The locks that are in both lists, shared if they are in either.
pub(crate) fn common(one: &[Lock], other: &[Lock]) -> Vec<Lock> {
    let in_both = |lock: &Lock| {
        let there = other.iter().find(|there| there.name == lock.name)?;
        Some(Lock { is_shared: lock.is_shared || there.is_shared, ..*lock })
    };
    one.iter().filter_map(in_both).collect()
}
