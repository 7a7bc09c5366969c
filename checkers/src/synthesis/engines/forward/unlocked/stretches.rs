//! In how many stretches each thread gets to its end at least, for itself.
//!
//! A thread that has written a value and then reads another one was held up in between, whatever the others
//! did. So from each of its steps on it takes some number of stretches, each as long as a thread that runs
//! alone, and knows nothing of what the places hold, can make it. No execution has fewer changes of threads
//! than all threads have stretches together.

use crate::synthesis::engines::forward::reach::Reach;

/// By thread and step, how many stretches are left.
#[derive(Debug)]
pub(super) struct Stretches(Vec<Vec<u32>>);

/// Longer stretches are counted as several: how long one is, is found out from each step anew.
const LONGEST: usize = 4_096;

impl Stretches {
    pub(super) fn new(reach: &mut Reach, steps: impl Iterator<Item = usize>) -> Self {
        let of_thread = |(thread, count): (usize, usize)| {
            let mut left = vec![0; count + 1];
            for from in (0..count).rev() {
                let end = reach.comes_alone(thread, from, count.min(from + LONGEST), std::iter::empty());
                left[from] = 1 + left[end.max(from + 1)];
            }
            left
        };
        Self(steps.enumerate().map(of_thread).collect())
    }

    /// How many stretches a thread needs at least from a step on.
    pub(super) fn left(&self, thread: usize, step: usize) -> u32 {
        self.0[thread][step]
    }
}
