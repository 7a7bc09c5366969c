//! Numbers of descriptors: which one a new descriptor gets, and what of the table a call touches.
//!
//! The places that a call touches must not depend on what other threads have open. Else it would be another
//! event in every order of theirs. So numbers are distinguished by their remainder, their class. Closing one
//! touches its class, and two closes commute. Making a descriptor touches all classes: every number below may
//! be taken or free. It touches one where threads take numbers of their own.

use crate::answer::PosixCall;
use crate::kernel::files::open_files::OpenFiles;
use crate::places::write;
use symx_trace::{Access, Place, ThreadId};

/// Classes of numbers. A program that has no more than this open at a time never confuses two.
const CLASSES: u32 = 16;

/// The place of the descriptor `number`: whether and for what it stands. It is no address of an object.
pub(crate) fn descriptor_place(number: u32) -> Place {
    Place::Object(1 << 57 | u64::from(number % CLASSES) << 1 | 1)
}

/// The places of all descriptors.
pub(crate) fn descriptor_places() -> impl Iterator<Item = Place> {
    (0..CLASSES).map(descriptor_place)
}

/// A thread that makes open files and descriptors of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opener {
    /// The thread, by which open files and nodes without a name are numbered: then making them commutes.
    pub thread: ThreadId,
    /// The class of numbers that it takes, if not all.
    class: Option<u32>,
}

impl Opener {
    /// The thread that makes `call`.
    pub fn of(call: &PosixCall<'_, '_>) -> Self {
        let thread = call.thread();
        let has_own = call.environment().options().independent_descriptors && call.state().unjoined > 1;
        Self { thread, class: has_own.then_some(thread.0 % CLASSES) }
    }

    /// What making a descriptor touches.
    pub fn touched(self) -> impl Iterator<Item = Access> {
        let classes = match self.class {
            None => 0..CLASSES,
            Some(class) => class..class + 1,
        };
        classes.map(descriptor_place).map(write)
    }

    /// The lowest free descriptor from `lowest` on that it may take.
    pub fn free(self, open: &OpenFiles, lowest: u32) -> u32 {
        match self.class {
            None => open.free_descriptor(lowest, 1),
            Some(class) => {
                let ahead = (class + CLASSES - lowest % CLASSES) % CLASSES;
                open.free_descriptor(lowest.saturating_add(ahead), CLASSES)
            }
        }
    }
}
