//! Where indeterminate values come from: unwritten memory, and operations without a defined result.

use crate::memory::site::{Allocation, Origin, Site};
use std::fmt;
use symx_ir::{SpanId, TypedAllocation};
use symx_trace::{FailureDetail, ThreadId};

/// Why the result of an operation is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PoisonReason {
    /// A signed result does not fit (`nsw`).
    SignedOverflow,
    /// An unsigned result does not fit where that was promised (`nuw`).
    UnsignedOverflow,
    /// A shift by the width or more.
    ShiftOutOfRange,
    /// A division or right shift that was promised to leave no remainder (`exact`).
    Inexact,
    /// A float that does not fit the integer it is converted to.
    FloatToInteger,
    /// A count of leading or trailing zeros of 0 where the compiler was promised another number.
    CountOfZero,
    /// The function called returns nothing.
    NoResult,
    /// A variable that was never written, of which the compiler has left that much.
    NeverGiven,
}

impl PoisonReason {
    const ALL: [Self; 8] = [
        Self::SignedOverflow,
        Self::UnsignedOverflow,
        Self::ShiftOutOfRange,
        Self::Inexact,
        Self::FloatToInteger,
        Self::CountOfZero,
        Self::NoResult,
        Self::NeverGiven,
    ];

    /// The class of failure that a use of such a value is.
    pub fn detail(self) -> FailureDetail {
        match self {
            Self::SignedOverflow => FailureDetail::SignedOverflow,
            Self::UnsignedOverflow => FailureDetail::UnsignedOverflow,
            Self::ShiftOutOfRange => FailureDetail::ShiftOutOfRange,
            Self::Inexact => FailureDetail::Inexact,
            Self::FloatToInteger => FailureDetail::FloatToInteger,
            Self::CountOfZero => FailureDetail::CountOfZero,
            Self::NoResult => FailureDetail::MismatchedCall,
            Self::NeverGiven => FailureDetail::Uninitialised,
        }
    }

    /// Whether arithmetic lost it: there was none that fits, or is defined.
    pub(crate) fn is_of_arithmetic(self) -> bool {
        !matches!(self, Self::NoResult | Self::NeverGiven)
    }

    /// Whether compilers compute such results early and leave it to a later choice to drop them.
    pub(crate) fn is_computed_early(self) -> bool {
        matches!(self, Self::ShiftOutOfRange | Self::CountOfZero | Self::FloatToInteger)
    }

    /// For people.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::SignedOverflow => "signed overflow",
            Self::UnsignedOverflow => "unsigned overflow where the compiler was promised none",
            Self::ShiftOutOfRange => "shift by the width of its operand or more, or by a negative number",
            Self::Inexact => "a division that was promised to be exact leaves a remainder",
            Self::FloatToInteger => "conversion of a float to an integer it does not fit",
            Self::CountOfZero => "count of the leading or trailing zeros of 0",
            Self::NoResult => "the function called returns nothing, and the caller uses its result",
            Self::NeverGiven => "uninitialised variable",
        }
    }
}

/// The first word of the name of an unwritten byte; that of another one is the word of its failure.
const UNWRITTEN: &str = "unwritten";

/// Where an indeterminate value comes from. As text it is a symbol's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// An unwritten byte of an object.
    Unwritten { base: u64, offset: u64, of: Allocation },
    /// The result of an operation.
    Poison { reason: PoisonReason, origin: Origin },
}

impl Cause {
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split(' ');
        let kind = parts.next()?;
        let mut number = || parts.next()?.parse::<u64>().ok();
        let origin = Origin { thread: ThreadId(number()? as u32), span: SpanId(number()? as u32) };
        if kind == UNWRITTEN {
            let (base, offset, size, site) = (number()?, number()?, number()?, Site(number()?));
            let typed = TypedAllocation::of_number(number()? as u16);
            return Some(Self::Unwritten { base, offset, of: Allocation { size, site, origin, typed } });
        }
        let reason = PoisonReason::ALL.into_iter().find(|reason| reason.detail().word() == kind)?;
        Some(Self::Poison { reason, origin })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritten { base, offset, of: Allocation { size, site, origin, typed } } => {
                let (thread, span, site) = (origin.thread.0, origin.span.0, site.0);
                let typed = typed.map_or(0, TypedAllocation::number);
                write!(formatter, "{UNWRITTEN} {thread} {span} {base} {offset} {size} {site} {typed}")
            }
            Self::Poison { reason, origin } => {
                write!(formatter, "{} {} {}", reason.detail(), origin.thread.0, origin.span.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_read_back_from_names() {
        let origin = Origin { thread: ThreadId(3), span: SpanId(77) };
        for typed in [None, TypedAllocation::of_number(7)] {
            let of = Allocation { size: 12, site: Site(1 << 61), origin, typed };
            let unwritten = Cause::Unwritten { base: 0x1234_5678, offset: 9, of };
            assert_eq!(Cause::parse(&unwritten.to_string()), Some(unwritten));
        }
        for reason in PoisonReason::ALL {
            let poison = Cause::Poison { reason, origin };
            assert_eq!(Cause::parse(&poison.to_string()), Some(poison));
        }
        assert_eq!(Cause::parse("x#0[1]"), None);
    }
}
