//! Events of an execution as the reads-from walk sees them: what each touches, and where what
//! it read came from.

use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::update::{Commuting, Update};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::registers::comparisons::Comparison;
use symx_memmodel::{ByteRange, Operation, Ordering};
use symx_trace::ThreadId;

/// A place that events touch, numbered as the walk meets them.
pub(in crate::reads_from) type Location = u32;

/// Which alternative the step of an event took, and of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reads_from) struct Taken {
    pub choice: u32,
    pub of: u32,
}

/// The bit that represents a location, and some others.
pub(in crate::reads_from) fn bit_of(location: Location) -> u64 {
    1 << (location % 64)
}

/// The effect of an event on one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reads_from) struct Touch {
    pub location: Location,
    /// Whether it observes what is there.
    pub reads: bool,
    /// Whether it leaves something for others to observe.
    pub writes: bool,
    /// The other sources that it could observe.
    pub choice: Choice,
    /// Which event left what it observes.
    pub source: Index,
}

/// In which way what an event observes could have been different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reads_from) enum Choice {
    /// In none.
    Nothing,
    /// It could observe another write.
    Source,
    /// All that touch the location observe each other, as operations of a mutex do: another could come first.
    Next,
    /// The same, but for others of this kind, with which it commutes: a lock is taken for reading.
    Together,
}

impl Choice {
    /// Whether another operation on the object could come first.
    pub fn is_turn(self) -> bool {
        matches!(self, Self::Next | Self::Together)
    }
}

/// An operation on an object, as far as it matters which one comes next there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reads_from) struct Turn {
    pub location: Location,
    /// Whether it commutes with others of which that is said, too.
    pub together: bool,
}

impl Turn {
    /// Whether it matters which of two comes first.
    pub fn conflicts(self, other: Self) -> bool {
        self.location == other.location && !(self.together && other.together)
    }
}

/// A name that an event has in all executions in which it has the same past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::reads_from) struct Name(u128);

impl Name {
    /// The name of what was there before all events.
    pub const INITIAL: Self = Self(0x51_7c_c1_b7_27_22_0a_95_13_19_8a_2e_03_70_73_44);

    /// The name of what updates that commute have left, all of them before the event that observes it.
    pub const COMMUTED: Self = Self(0x2f_8b_61_0d_99_4e_5c_a3_70_d1_c8_46_be_15_e2_37);

    /// The name of a thread's staying where it is among the alternatives of the event before which it stays.
    pub const STAYING: Self = Self(0x6d_e0_47_b9_13_f2_86_c5_0a_7c_95_2e_d8_31_6b_f4);

    /// Distinguishes a choice from all else that a name is made of.
    const CHOSEN: u128 = 0x23_c9_5e_f0_71_8a_4d_b6_e8_05_9d_12_6c_a7_3b_54;

    /// The beginning of a name: the event's thread and its number there.
    pub fn of(thread: ThreadId, ordinal: u32) -> Self {
        Self::INITIAL.with(u128::from(thread.0) << 32 | u128::from(ordinal))
    }

    /// Adds something that distinguishes the event from others.
    pub fn with(self, part: u128) -> Self {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        let mixed = (self.0 ^ part).wrapping_mul(ODD);
        Self(mixed ^ mixed >> 67 ^ mixed >> 31)
    }

    /// The name of an event that takes an alternative, given the one it has whatever it takes.
    pub fn choosing(self, choice: u32) -> Self {
        self.with(Self::CHOSEN).with(u128::from(choice))
    }

    /// Adds an event of its past.
    pub fn after(self, other: Self) -> Self {
        self.with(other.0)
    }
}

/// How a memory model looks at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::reads_from) enum Kind {
    Load(Ordering),
    Store(Ordering),
    Update(Ordering),
    /// A fence that orders stores.
    StoreBarrier,
    /// An operation of a modelled function or another fence; whether the thread's own stores are
    /// in memory before it.
    Operation {
        drains: bool,
    },
}

impl Kind {
    /// The event that the memory model knows, if it is an access to memory.
    pub fn in_model(self, thread: ThreadId, range: ByteRange) -> Option<symx_memmodel::Event> {
        let (operation, ordering) = match self {
            Self::Load(ordering) => (Operation::Load, ordering),
            Self::Store(ordering) => (Operation::Store, ordering),
            Self::Update(ordering) => (Operation::ReadModifyWrite, ordering),
            Self::StoreBarrier | Self::Operation { .. } => return None,
        };
        Some(symx_memmodel::Event { thread: thread.0, operation, ordering, range })
    }
}

/// An event.
#[derive(Clone, Debug)]
pub(in crate::reads_from) struct Event {
    pub thread: ThreadId,
    /// Its number among the thread's events.
    pub ordinal: u32,
    pub kind: Kind,
    pub touches: SmallVec<[Touch; 2]>,
    /// The [bits](bit_of) of the locations that it touches, and perhaps more.
    pub places: u64,
    pub name: Name,
    /// The events on which it depends through program order and sources, itself included.
    pub past: Bits,
    /// The events of its thread that every thread sees before it, as far as others do not imply them, and
    /// those it waits for.
    pub before: Bits,
    /// Whether every thread sees all events of its thread before it, those listed there and those implied.
    pub follows_all: bool,
    /// All that takes effect before it in every order, given the sources.
    pub ahead: Bits,
    /// Whether it goes through a store buffer, and takes effect when it leaves it.
    pub is_buffered: bool,
    /// Whether its thread is blocked after it. Then nothing it left can be observed.
    pub end: Option<Ended>,
    /// Whether it has an effect that outlasts the process.
    pub is_lasting: bool,
    /// Whether objects come to the end of their lives with it.
    pub ends_lives: bool,
    /// Where it arrives, as a place and as an address, if it is an arrival that commutes with others there.
    pub arrives_at: Option<(Location, u64)>,
    /// Its atomic update, if it is a known one.
    pub update: Option<Update>,
    /// Updates with which it commutes, if it is one and does not observe anything.
    pub commuting: Option<Commuting>,
    /// If it is one of these, the comparisons in which what it finds is used. They come out alike in every
    /// order.
    pub asked: Option<Arc<[Comparison]>>,
    /// Whether its thread wrote to memory of its own after it, before the next event.
    pub changes_memory: bool,
    /// Whether it left something else that its thread may come across. The environment keeps books, and a
    /// thread that counts its instructions finds more of them.
    pub leaves_trace: bool,
    /// Whether its thread slept.
    pub sleeps: bool,
    /// The value it wrote to memory, if that is one known number.
    pub value: Option<u64>,
    /// Whether it adds to a number, and nothing will ever use what it finds.
    pub adds_unseen: bool,
    /// The width in bits and the number that it added, if that is all that its step did.
    pub sum: Option<(u8, u64)>,
    /// Which alternative its step took, if the model has several.
    pub alternative: Option<Taken>,
    /// Whether it represents all looks of a [loop](crate::reads_from::loops::bounded_spin).
    pub spins: bool,
    /// Where the round began, if it ends one in which its thread undid what it had done.
    pub undone: Option<Index>,
}

impl Event {
    /// An event that is not in order with others yet, of which nothing but what it touches is known.
    pub fn new(thread: ThreadId, ordinal: u32, kind: Kind, touches: SmallVec<[Touch; 2]>) -> Self {
        let places = touches.iter().fold(0, |places, touch| places | bit_of(touch.location));
        Self {
            thread,
            ordinal,
            kind,
            touches,
            places,
            name: Name::of(thread, ordinal),
            past: Bits::default(),
            before: Bits::default(),
            follows_all: false,
            ahead: Bits::default(),
            is_buffered: false,
            end: None,
            is_lasting: false,
            ends_lives: false,
            arrives_at: None,
            update: None,
            commuting: None,
            asked: None,
            changes_memory: false,
            leaves_trace: false,
            sleeps: false,
            value: None,
            adds_unseen: false,
            sum: None,
            alternative: None,
            spins: false,
            undone: None,
        }
    }

    /// Its effect on a location.
    #[inline]
    pub fn touch(&self, location: Location) -> Option<&Touch> {
        if self.places & bit_of(location) == 0 {
            return None;
        }
        self.touches.iter().find(|touch| touch.location == location)
    }

    /// What it does at objects, whose operations observe each other.
    pub fn turns(&self) -> impl Iterator<Item = Turn> {
        let turn =
            |touch: &Touch| Turn { location: touch.location, together: touch.choice == Choice::Together };
        self.touches.iter().filter(|touch| touch.choice.is_turn()).map(turn)
    }

    /// Whether all that it does commutes with others of its kind.
    pub fn is_together(&self) -> bool {
        self.turns().all(|turn| turn.together) && self.turns().next().is_some()
    }

    /// Whether what it reads depends on the schedule.
    pub fn observes(&self) -> bool {
        self.touches.iter().any(|touch| touch.reads && touch.choice != Choice::Nothing)
    }
}

#[cfg(test)]
impl Event {
    /// A thread's event of this number: a store (`true`) or a load of a location, with its source.
    pub fn access(
        thread: ThreadId,
        ordinal: u32,
        (writes, location, source): (bool, Location, Index),
        before: Bits,
    ) -> Self {
        let touch = Touch { location, reads: !writes, writes, choice: Choice::Source, source };
        let kind = Kind::Load(Ordering::Monotonic);
        Self { before, ..Self::new(thread, ordinal, kind, SmallVec::from_iter([touch])) }
    }
}

/// Why a thread's events end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::reads_from) enum Ended {
    /// The program fails there.
    Failed,
    /// The execution does not exist or is not followed further.
    Blocked,
    /// The thread waits in a loop.
    Waits,
    /// The values that the thread has seen in a round of a loop are out of date: it would progress if it
    /// began the round again.
    Late,
}
