//! Which bytes of an object an address may be at: one distance from its beginning, or equal steps from one.

/// `at`, and if `stride` is not 0, all that is a multiple of `stride` away from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Offset {
    pub at: i64,
    pub stride: u32,
}

/// How an address is computed from another: bytes added, and then any multiple of `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shift {
    pub add: i64,
    pub stride: u32,
}

/// How many bytes an access has that may have any number.
pub(crate) const UNBOUNDED: u64 = u64::MAX;

impl Shift {
    pub const NONE: Self = Self { add: 0, stride: 0 };
    pub const ANYWHERE: Self = Self { add: 0, stride: 1 };

    /// A fixed distance.
    pub fn by(add: i64) -> Self {
        Self { add, stride: 0 }
    }

    /// First this, then another.
    pub fn then(self, next: Self) -> Self {
        Self { add: self.add.wrapping_add(next.add), stride: common(self.stride, next.stride) }
    }
}

impl Offset {
    pub const START: Self = Self { at: 0, stride: 0 };
    pub const ANYWHERE: Self = Self { at: 0, stride: 1 };

    /// The offset after a shift.
    pub fn shifted(self, shift: Shift) -> Self {
        Self::steps(self.at.wrapping_add(shift.add), common(self.stride, shift.stride))
    }

    /// The least set of this form that has both.
    pub fn joined(self, other: Self) -> Self {
        let apart = self.at.abs_diff(other.at);
        let apart = u32::try_from(apart).unwrap_or(1);
        Self::steps(self.at, common(common(self.stride, other.stride), apart))
    }

    /// Of several forms of one set, always the same.
    fn steps(at: i64, stride: u32) -> Self {
        let at = if stride == 0 { at } else { at.rem_euclid(i64::from(stride)) };
        Self { at, stride }
    }

    /// Whether accesses of these sizes may have a byte in common.
    pub fn overlaps(self, size: u64, other: Self, other_size: u64) -> bool {
        let step = common(self.stride, other.stride);
        let apart = other.at.wrapping_sub(self.at);
        // Some distance d between them has -other_size < d < size.
        let below = |limit: u64, distance: u64| distance < limit;
        if step == 0 {
            return if apart >= 0 {
                below(size, apart as u64)
            } else {
                below(other_size, apart.unsigned_abs())
            };
        }
        let ahead = apart.rem_euclid(i64::from(step)) as u64;
        below(size, ahead) || below(other_size, u64::from(step) - ahead)
    }
}

/// The greatest common divisor; 0 means no steps at all.
fn common(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(at: i64) -> Offset {
        Offset { at, stride: 0 }
    }

    #[test]
    fn fixed_places_overlap_by_their_bytes() {
        assert!(exact(0).overlaps(4, exact(3), 1) && !exact(0).overlaps(4, exact(4), 4));
        assert!(exact(4).overlaps(1, exact(0), 8) && !exact(8).overlaps(1, exact(0), 8));
        assert!(exact(64).overlaps(1, exact(0), UNBOUNDED));
    }

    #[test]
    fn elements_overlap_by_their_fields() {
        let field = |at| exact(at).shifted(Shift { add: 0, stride: 16 });
        assert!(!field(0).overlaps(8, field(8), 8) && field(0).overlaps(8, field(16), 8));
        assert!(field(8).overlaps(8, exact(24), 4) && !field(8).overlaps(8, exact(16), 8));
        assert!(field(8).overlaps(8, Offset::ANYWHERE, 1));
        // Elements of 16 and of 24 bytes have distances of 8 in common.
        assert!(field(0).overlaps(4, exact(8).shifted(Shift { add: 0, stride: 24 }), 4));
    }

    #[test]
    fn joining_keeps_both() {
        assert_eq!(exact(8).joined(exact(24)), Offset { at: 8, stride: 16 });
        assert_eq!(exact(8).joined(exact(8)), exact(8));
        assert_eq!(exact(-4).shifted(Shift { add: 0, stride: 8 }), Offset { at: 4, stride: 8 });
    }
}
