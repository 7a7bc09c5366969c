//! Sets of kinds of failure.

use crate::failure::FailureKind;

/// Kinds of failure, as those that a run counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureKinds(u16);

impl FailureKinds {
    /// The default: all but leaks and exit statuses, which are checked on request only.
    pub const USUAL: Self = Self::all().without(FailureKind::Leak).without(FailureKind::Exit);

    const fn all() -> Self {
        Self((1 << FailureKind::ALL.len()) - 1)
    }

    const fn bit(kind: FailureKind) -> u16 {
        1 << kind as u16
    }

    /// Whether `kind` is among them.
    pub const fn contains(self, kind: FailureKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// With `kind`.
    #[must_use]
    pub const fn with(self, kind: FailureKind) -> Self {
        Self(self.0 | Self::bit(kind))
    }

    /// Without `kind`.
    #[must_use]
    pub const fn without(self, kind: FailureKind) -> Self {
        Self(self.0 & !Self::bit(kind))
    }

    /// Whether any of `kinds` is among them.
    pub fn any(self, kinds: &[FailureKind]) -> bool {
        kinds.iter().any(|kind| self.contains(*kind))
    }
}

impl FromIterator<FailureKind> for FailureKinds {
    fn from_iter<I: IntoIterator<Item = FailureKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self(0), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_kinds() {
        for &kind in FailureKind::ALL {
            let is_usual = !matches!(kind, FailureKind::Leak | FailureKind::Exit);
            assert_eq!(FailureKinds::USUAL.contains(kind), is_usual, "{kind:?}");
            assert!(FailureKinds::USUAL.with(kind).contains(kind));
        }
        let two: FailureKinds = [FailureKind::Leak, FailureKind::Assert].into_iter().collect();
        assert!(two.any(&[FailureKind::Memory, FailureKind::Leak]) && !two.contains(FailureKind::Memory));
    }
}
