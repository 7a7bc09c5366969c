//! Whether a cache is worth looking into.

/// Of how many lookups one must have found something.
const WORTHWHILE: u32 = 4;

/// For how many lookups a cache rests at first, in windows: vain ones then cost less than a fifth of what all
/// would.
const FIRST_REST: u64 = 4;

/// How often a cache has what is looked for, in windows of a number of lookups.
///
/// Where it seldom has, it rests, for twice as long each time. It is asked again after that, since an
/// exploration comes to other parts of a program, and to states that it knows by then.
#[derive(Debug)]
pub(super) struct HitRate {
    window: u32,
    /// Lookups of the present window, and how many found something.
    tried: u32,
    found: u32,
    /// For how many more lookups it rests, and for how many it will the next time.
    rest: u64,
    next_rest: u64,
}

impl HitRate {
    /// Checks after each `window` lookups.
    pub fn new(window: u32) -> Self {
        Self { window, tried: 0, found: 0, rest: 0, next_rest: FIRST_REST * u64::from(window) }
    }

    /// Whether the next lookup is to be left out. Each call counts as one.
    pub fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest -= u64::from(rests);
        rests
    }

    /// Notes whether a lookup has found something.
    pub fn note(&mut self, found: bool) {
        self.tried += 1;
        self.found += u32::from(found);
        if self.tried < self.window {
            return;
        }
        if self.found * WORTHWHILE < self.tried {
            self.rest = self.next_rest;
            self.next_rest = self.next_rest.saturating_mul(2);
        }
        (self.tried, self.found) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the lookups are made if those from `first` on find something.
    fn made(rate: &mut HitRate, lookups: usize, first: usize) -> usize {
        let mut made = 0;
        for number in 0..lookups {
            if !rate.rests() {
                made += 1;
                rate.note(number >= first);
            }
        }
        made
    }

    #[test]
    fn a_cache_that_never_has_it_rests_for_longer_and_longer() {
        assert_eq!(made(&mut HitRate::new(16), 1_000, usize::MAX), 4 * 16);
    }

    #[test]
    fn a_cache_that_has_it_later_is_used_then() {
        assert_eq!(made(&mut HitRate::new(16), 1_000, 16), 1_000 - 4 * 16);
    }
}
