//! Where memory objects come from.

use serde::{Deserialize, Serialize};
use symx_ir::{SpanId, TypedAllocation};
use symx_trace::ThreadId;

/// Where objects come from: a number that is the same in every execution of a program. So facts learned about
/// an allocation site in one execution hold for the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site(pub u64);

/// The kind of allocation of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteKind {
    /// A global variable, by number.
    Global(u32),
    /// A thread-local variable, by the number of its template.
    ThreadLocal(u32),
    /// A stack variable: function number and alloca site.
    Stack(u32, u16),
    /// A call of an allocating function: the calling function's number and the call's instruction.
    Heap(u32, u32),
    /// Made by the environment: program arguments, thread control blocks and the like.
    Environment(u32),
}

impl SiteKind {
    /// Instructions of [`SiteKind::Heap`] from this one on denote what the environment gives the function as
    /// parameters: as many as the interface of a program's function may have, and more.
    const GIVEN: u32 = 0xff_ff00;

    /// What the environment gives a function as a parameter, from 0; the last ones that there can be are one.
    pub fn given(function: u32, parameter: u32) -> Self {
        Self::Heap(function, Self::GIVEN + parameter.min(0xff))
    }

    /// The parameter for which the environment gave what comes from this instruction of [`SiteKind::Heap`].
    pub fn parameter(pc: u32) -> Option<u32> {
        pc.checked_sub(Self::GIVEN)
    }
}

impl Site {
    /// Packs a kind into its number.
    pub fn new(kind: SiteKind) -> Self {
        Site(match kind {
            SiteKind::Global(number) => u64::from(number),
            SiteKind::ThreadLocal(number) => 1 << 60 | u64::from(number),
            SiteKind::Stack(function, site) => 2 << 60 | u64::from(function) << 24 | u64::from(site),
            SiteKind::Heap(function, pc) => 3 << 60 | u64::from(function) << 24 | u64::from(pc & 0xff_ffff),
            SiteKind::Environment(number) => 4 << 60 | u64::from(number),
        })
    }

    /// The kind that was packed.
    pub fn kind(self) -> SiteKind {
        let low = (self.0 & 0xff_ffff) as u32;
        let function = (self.0 >> 24) as u32;
        match self.0 >> 60 {
            0 => SiteKind::Global(self.0 as u32),
            1 => SiteKind::ThreadLocal(self.0 as u32),
            2 => SiteKind::Stack(function, low as u16),
            3 => SiteKind::Heap(function, low),
            _ => SiteKind::Environment(self.0 as u32),
        }
    }
}

/// The thread that did something, and where in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The thread.
    pub thread: ThreadId,
    /// The position.
    pub span: SpanId,
}

/// What an object is called after, whatever is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// How many bytes.
    pub size: u64,
    /// Where it comes from.
    pub site: Site,
    /// Who made it, and where in the program's own source.
    pub origin: Origin,
    /// The call of a library, or of a function for its caller, that is known to have made it for a type.
    pub typed: Option<TypedAllocation>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_keep_what_was_packed() {
        for kind in [
            SiteKind::Global(7),
            SiteKind::ThreadLocal(7),
            SiteKind::Stack(70_000, 9),
            SiteKind::Heap(70_000, 90_000),
            SiteKind::Environment(3),
        ] {
            assert_eq!(Site::new(kind).kind(), kind);
        }
    }
}
