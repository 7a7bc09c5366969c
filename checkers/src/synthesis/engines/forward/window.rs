//! How far a walk goes back where it meets a dead end.
//!
//! In a long trace the wrong choice was made not long before, but going back one choice at a time tries all
//! that follow it. So once a stretch of choices has had its steps and the walk is no farther, all of them are
//! made anew. Their order is changed a little, and next time there are twice as many.

use super::limits::{LEAST_ANEW, PATIENCE};

/// The choices that are made anew together.
#[derive(Clone, Debug)]
pub(super) struct Window {
    length: usize,
    threads: u64,
    /// The most moves that were ever made.
    farthest: usize,
    /// Steps taken when that was, or when choices were made anew since.
    since: u64,
    /// How far the walk has to come until few choices are enough again.
    until: usize,
}

impl Window {
    pub(super) fn new(threads: usize, steps: u64) -> Self {
        Self { length: LEAST_ANEW, threads: threads as u64, farthest: 0, since: steps, until: 0 }
    }

    /// How much an order is changed, in steps of it.
    pub(super) fn disorder(&self) -> u64 {
        if self.length == LEAST_ANEW { 0 } else { self.length as u64 }
    }

    /// How many choices to make anew after this many moves and steps, if it is time for that.
    pub(super) fn is_used_up(&mut self, moves: usize, steps: u64) -> Option<usize> {
        if moves > self.farthest {
            (self.farthest, self.since) = (moves, steps);
            if moves > self.until {
                self.length = LEAST_ANEW;
            }
            return None;
        }
        if steps - self.since <= self.length as u64 * self.threads * PATIENCE {
            return None;
        }
        let length = self.length;
        (self.since, self.length) = (steps, 2 * length);
        self.until = self.farthest + length;
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_more_choices_are_made_anew_until_the_walk_is_farther() {
        let mut window = Window::new(1, 0);
        assert_eq!(window.is_used_up(10, 10), None);
        assert_eq!(window.is_used_up(9, 20), None, "it has had but few steps");
        assert_eq!(window.is_used_up(9, 1000), Some(LEAST_ANEW));
        assert_eq!(window.disorder(), 2 * LEAST_ANEW as u64);
        assert_eq!(window.is_used_up(9, 1100), None);
        assert_eq!(window.is_used_up(9, 2000), Some(2 * LEAST_ANEW));
        assert_eq!(window.is_used_up(10 + 2 * LEAST_ANEW, 2010), None);
        assert_eq!(window.disorder(), 4 * LEAST_ANEW as u64, "not farther than what was made anew");
        assert_eq!(window.is_used_up(11 + 2 * LEAST_ANEW, 2020), None);
        assert_eq!(window.disorder(), 0);
    }
}
