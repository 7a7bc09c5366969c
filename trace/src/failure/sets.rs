//! Sets of failures, by kind and detail.

use crate::failure::Failure;
use crate::failure::checks::{AtEnd, CHECKS, FailureKind, Made};
use crate::failure::detail::FailureDetail;

/// Failures by kind and detail, as those that a run counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureKinds([u64; FailureKind::ALL.len()]);

impl FailureKinds {
    /// None.
    pub const NONE: Self = Self([0; FailureKind::ALL.len()]);

    /// The default: all but those that are looked for at the end, on request only. (Races are found only by a
    /// machine that looks for them.)
    pub const USUAL: Self = {
        let (mut usual, mut row) = (Self::all(), 0);
        while row < CHECKS.len() {
            let check = &CHECKS[row];
            if matches!(check.made, Made::OnRequest(_)) && check.at_end as u8 != AtEnd::Nothing as u8 {
                usual = usual.without(check.kind);
            }
            row += 1;
        }
        usual
    };

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

    /// Whether `what` is looked at when the process has ended.
    pub fn look_at(self, what: AtEnd) -> bool {
        CHECKS.iter().any(|check| check.at_end >= what && self.contains(check.kind))
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
        for kind in [FailureKind::Leak, FailureKind::Exit, FailureKind::UnfinishedThread] {
            assert!(!FailureKinds::USUAL.contains(kind), "{kind:?}");
        }
        for kind in [FailureKind::Memory, FailureKind::Race, FailureKind::Livelock, FailureKind::Output] {
            assert!(FailureKinds::USUAL.contains(kind), "{kind:?}");
        }
        for &kind in FailureKind::ALL {
            assert!(FailureKinds::USUAL.with(kind).contains(kind));
        }
        let two: FailureKinds = [FailureKind::Leak, FailureKind::Assert].into_iter().collect();
        assert!(two.contains(FailureKind::Leak) && !two.contains(FailureKind::Memory));
    }

    #[test]
    fn what_is_looked_at_at_the_end_includes_what_comes_before_it() {
        let of = |kind| FailureKinds::NONE.with(kind);
        let [status, threads, memory] =
            [FailureKind::Exit, FailureKind::UnfinishedThread, FailureKind::Leak].map(of);
        assert!(status.look_at(AtEnd::Process) && !status.look_at(AtEnd::Threads));
        assert!(threads.look_at(AtEnd::Threads) && !threads.look_at(AtEnd::Memory));
        assert!(memory.look_at(AtEnd::Process) && memory.look_at(AtEnd::Memory));
        assert!(!FailureKinds::USUAL.look_at(AtEnd::Process));
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
