//! Vector clocks: how much of each thread happens before something.

use smallvec::SmallVec;

/// One event of a thread: its number among the thread's events, from 1. Zero is the state before all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Epoch {
    /// The thread's number.
    pub thread: u32,
    /// The event's.
    pub time: u32,
}

/// How many events of each thread happen before something, by the threads' numbers.
#[derive(Clone, Debug, Default)]
pub struct Clock(SmallVec<[u32; 4]>);

/// A component not listed is zero: clocks are equal if they include the same events.
impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        self.times().eq(other.times())
    }
}

impl Eq for Clock {}

impl std::hash::Hash for Clock {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.times().for_each(|time| time.hash(hasher));
    }
}

impl Clock {
    fn times(&self) -> impl Iterator<Item = &u32> {
        let length = self.0.iter().rposition(|time| *time != 0).map_or(0, |last| last + 1);
        self.0[..length].iter()
    }

    /// How many events of a thread are included.
    pub fn time(&self, thread: u32) -> u32 {
        self.0.get(thread as usize).copied().unwrap_or(0)
    }

    /// Whether an event is included.
    pub fn includes(&self, event: Epoch) -> bool {
        event.time <= self.time(event.thread)
    }

    /// Whether both include the same events of all threads but one.
    pub fn is_same_but_of(&self, other: &Clock, thread: u32) -> bool {
        let others = (0..self.0.len().max(other.0.len()) as u32).filter(|at| *at != thread);
        others.into_iter().all(|at| self.time(at) == other.time(at))
    }

    /// Includes what `other` includes.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Of each thread, what any `rank + 1` of the clocks together include.
    pub fn least_common(clocks: &[Clock], rank: usize) -> Self {
        let threads = clocks.iter().map(|clock| clock.0.len()).max().unwrap_or(0);
        let time = |thread| {
            let mut times: Vec<u32> = clocks.iter().map(|clock| clock.time(thread)).collect();
            times.sort_unstable();
            times.get(rank).copied().unwrap_or(0)
        };
        Self((0..threads as u32).map(time).collect())
    }

    /// Includes one more event of a thread, which is returned.
    pub fn advance(&mut self, thread: u32) -> Epoch {
        let index = thread as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] += 1;
        Epoch { thread, time: self.0[index] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_includes_both() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        let first = one.advance(0);
        let second = other.advance(2);
        assert!(!one.includes(second) && !other.includes(first));
        one.join(&other);
        assert!(one.includes(first) && one.includes(second));
        assert!(one.includes(Epoch::default()), "what was there before is always included");
    }

    #[test]
    fn zeros_at_the_end_make_no_difference() {
        let mut long = Clock::default();
        long.advance(1);
        let mut short = Clock::default();
        short.join(&long);
        short.0.push(0);
        assert_eq!(long, short);
    }
}
