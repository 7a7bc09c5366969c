//! Undefined behaviour that common machines forgive, and what becomes of it.

use crate::failure::detail::FailureDetail;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// A class of undefined behaviour after which a common machine goes on in one way.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Forgivable {
    /// A call passes more than the function takes: arguments, or bits of one; these are dropped.
    Call,
    /// A call passes an `int` where a wider number is taken; the rest is zero.
    Widening,
    /// A signed sum, difference or product does not fit; it wraps.
    Overflow,
    /// Uninitialised memory is read; it holds zeros.
    Uninitialised,
    /// A block is released by another function than goes with the one that made it.
    Release,
    /// An access is misaligned; it is made.
    Alignment,
}

impl Forgivable {
    /// The class of a failure, if machines forgive it.
    pub fn of(detail: FailureDetail) -> Option<Self> {
        Some(match detail {
            FailureDetail::SurplusArguments | FailureDetail::NarrowedArgument => Self::Call,
            FailureDetail::WidenedArgument => Self::Widening,
            FailureDetail::SignedOverflow | FailureDetail::UnsignedOverflow => Self::Overflow,
            FailureDetail::Uninitialised => Self::Uninitialised,
            FailureDetail::MismatchedFree => Self::Release,
            FailureDetail::Misaligned => Self::Alignment,
            _ => return None,
        })
    }
}

/// The policy for undefined behaviour of a class.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Policy {
    /// It is a failure.
    Error,
    /// The program goes on as on a common machine; each place is warned of once.
    Warn,
    /// The program goes on as on a common machine.
    Ignore,
}

/// The policy for each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tolerance([Policy; Forgivable::VARIANTS.len()]);

impl Default for Tolerance {
    /// Behaviour that sanitizers report is an error. Arguments too many, which no common machine notices, are
    /// warned of.
    fn default() -> Self {
        Self::all(Policy::Error).with(Forgivable::Call, Policy::Warn)
    }
}

impl Tolerance {
    /// The same policy for all classes.
    pub fn all(policy: Policy) -> Self {
        Self([policy; Forgivable::VARIANTS.len()])
    }

    /// With this policy for a class.
    #[must_use]
    pub fn with(mut self, class: Forgivable, policy: Policy) -> Self {
        self.0[class as usize] = policy;
        self
    }

    /// The policy for a class.
    pub fn of(self, class: Forgivable) -> Policy {
        self.0[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_policy() {
        let tolerance = Tolerance::default().with(Forgivable::Overflow, Policy::Ignore);
        assert_eq!(tolerance.of(Forgivable::Overflow), Policy::Ignore);
        assert_eq!(tolerance.of(Forgivable::Call), Policy::Warn);
        assert_eq!(tolerance.of(Forgivable::Alignment), Policy::Error);
        assert_eq!("alignment".parse(), Ok(Forgivable::Alignment));
    }
}
