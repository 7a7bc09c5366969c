//! Sets of failures, by kind and detail.

use crate::failure::detail::FailureDetail;
use crate::failure::{Failure, FailureKind};

/// Failures by kind and detail, as those that a run counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureKinds([u64; FailureKind::ALL.len()]);

impl FailureKinds {
    /// None.
    pub const NONE: Self = Self([0; FailureKind::ALL.len()]);

    /// The default: all but those that are checked on request only.
    pub const USUAL: Self = Self::all()
        .without(FailureKind::Leak)
        .without(FailureKind::Exit)
        .without(FailureKind::UnfinishedThread);

    const fn all() -> Self {
        Self([u64::MAX; FailureKind::ALL.len()])
    }

    const fn bit(detail: FailureDetail) -> u64 {
        1 << detail as u64
    }

    /// Those details of a kind that count wherever the kind does.
    const fn usual(kind: FailureKind) -> u64 {
        match kind {
            FailureKind::Leak => !Self::bit(FailureDetail::Unfreed),
            _ => u64::MAX,
        }
    }

    /// Whether any failure of `kind` is among them.
    pub const fn contains(self, kind: FailureKind) -> bool {
        self.0[kind as usize] != 0
    }

    /// Whether failures of this kind and detail are among them.
    pub const fn has(self, kind: FailureKind, detail: FailureDetail) -> bool {
        self.0[kind as usize] & Self::bit(detail) != 0
    }

    /// Whether this failure is among them.
    pub fn counts(self, failure: &Failure) -> bool {
        self.has(failure.kind, failure.detail)
    }

    /// With `kind`.
    #[must_use]
    pub const fn with(mut self, kind: FailureKind) -> Self {
        self.0[kind as usize] |= Self::usual(kind);
        self
    }

    /// With failures of this kind and detail.
    #[must_use]
    pub const fn with_detail(mut self, kind: FailureKind, detail: FailureDetail) -> Self {
        self.0[kind as usize] |= Self::bit(detail);
        self
    }

    /// Without `kind`.
    #[must_use]
    pub const fn without(mut self, kind: FailureKind) -> Self {
        self.0[kind as usize] = 0;
        self
    }

    /// The union of both sets.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind] | others.0[kind]))
    }

    /// The intersection of both sets.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind] & others.0[kind]))
    }

    /// The difference of both sets.
    #[must_use]
    pub fn but(self, others: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind] & !others.0[kind]))
    }

    /// Whether any of `kinds` is among them.
    pub fn any(self, kinds: &[FailureKind]) -> bool {
        kinds.iter().any(|kind| self.contains(*kind))
    }
}

impl FromIterator<FailureKind> for FailureKinds {
    fn from_iter<I: IntoIterator<Item = FailureKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn usual_kinds() {
        for &kind in FailureKind::ALL {
            let is_usual =
                !matches!(kind, FailureKind::Leak | FailureKind::Exit | FailureKind::UnfinishedThread);
            assert_eq!(FailureKinds::USUAL.contains(kind), is_usual, "{kind:?}");
            assert!(FailureKinds::USUAL.with(kind).contains(kind));
        }
        let two: FailureKinds = [FailureKind::Leak, FailureKind::Assert].into_iter().collect();
        assert!(two.any(&[FailureKind::Memory, FailureKind::Leak]) && !two.contains(FailureKind::Memory));
    }

    #[test]
    fn details_have_a_bit_each() {
        assert!(FailureDetail::iter().all(|detail| (detail as u64) < 64));
        let (kind, detail) = (FailureKind::Memory, FailureDetail::NullDeref);
        let one = FailureKinds::NONE.with_detail(kind, detail);
        assert!(one.has(kind, detail) && !one.has(kind, FailureDetail::Plain) && one.contains(kind));
        assert!(!FailureKinds::USUAL.but(one).has(kind, detail) && FailureKinds::USUAL.and(one) == one);
    }

    #[test]
    fn memory_that_is_still_pointed_to_counts_only_by_its_detail() {
        let leaks = FailureKinds::NONE.with(FailureKind::Leak);
        assert!(leaks.has(FailureKind::Leak, FailureDetail::Thread));
        assert!(!leaks.has(FailureKind::Leak, FailureDetail::Unfreed));
        let all = leaks.with_detail(FailureKind::Leak, FailureDetail::Unfreed);
        assert!(all.has(FailureKind::Leak, FailureDetail::Unfreed));
    }
}
