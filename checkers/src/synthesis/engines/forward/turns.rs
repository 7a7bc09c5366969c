//! The least number of turns in which each thread terminates, by itself.
//!
//! A thread that has written a value and then reads another one was interrupted in between, whatever the
//! others did. So from each of its steps on it takes some number of turns. Each is as long as a thread that
//! runs alone, with unknown contents of the places, can make it. No execution has fewer changes of threads
//! than all threads have turns together.

use super::limits::LONGEST_TURN;
use super::reach::Reach;

/// By thread and step, how many turns are left.
#[derive(Debug)]
pub(super) struct Turns(Vec<Vec<u32>>);

impl Turns {
    pub(super) fn new(reach: &mut Reach, steps: impl Iterator<Item = usize>) -> Self {
        let of_thread = |(thread, count): (usize, usize)| {
            let mut left = vec![0; count + 1];
            for from in (0..count).rev() {
                let end = reach.comes_alone(thread, from, count.min(from + LONGEST_TURN), std::iter::empty());
                left[from] = 1 + left[end.max(from + 1)];
            }
            left
        };
        Self(steps.enumerate().map(of_thread).collect())
    }

    /// How many turns a thread needs at least from a step on.
    pub(super) fn left(&self, thread: usize, step: usize) -> u32 {
        self.0[thread][step]
    }
}
