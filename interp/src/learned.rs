//! Facts about memory that an exploration learns on its way and that change what counts as one event. Then it
//! restarts.

use crate::stop::Incomplete;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use symx_ir::SpanId;
use symx_trace::{IncompleteReason, ThreadName};

/// Threads that come together at an object, and how many it waits for at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gathering {
    /// Their numbers.
    pub threads: BTreeSet<u32>,
    /// How many are waited for, where that is known.
    pub width: Option<u32>,
}

impl Gathering {
    fn add(&mut self, threads: impl IntoIterator<Item = u32>, width: Option<u32>) {
        self.threads.extend(threads);
        self.width = [self.width, width].into_iter().flatten().min();
    }

    fn is_crowded(&self) -> bool {
        self.width.is_some_and(|width| self.threads.len() > width as usize)
    }
}

/// The function and argument with which a thread begins. Threads that begin alike are identical as long as
/// nothing distinguishes them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Beginning {
    /// Address of its function.
    pub function: u64,
    /// The bits of its argument.
    pub argument: u64,
}

/// Facts learned so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// Ranges of memory (first address, the one after the last) in which updates that commute are
    /// distinguished nevertheless. A thread may observe the difference.
    pub observed: BTreeSet<(u64, u64)>,
    /// Ranges at which a thread makes sure by an exchange that a number has not changed.
    pub confirmed: BTreeSet<(u64, u64)>,
    /// Of these, those at which a number that was there comes back.
    pub returning: BTreeSet<(u64, u64)>,
    /// Addresses at which accesses to memory are cut: some begin or end there inside others.
    pub cuts: BTreeSet<u64>,
    /// Beginnings of threads that begin alike and that something distinguishes nevertheless.
    pub distinguished: BTreeSet<Beginning>,
    /// Names of the threads by number, where several create threads: so a thread has the same number in
    /// whatever order they are created.
    pub threads: Vec<ThreadName>,
    /// Whether threads keep the numbers that they are created with: the beginning of each execution is given,
    /// and was made with these.
    #[serde(default)]
    pub keeps_numbers: bool,
    /// By address, objects at which threads come together: which threads, and how many the object waits
    /// for at least.
    #[serde(default)]
    pub gatherings: BTreeMap<u64, Gathering>,
    /// Of these, those to which more threads come: which thread belongs to which round is a matter of order.
    #[serde(default)]
    pub crowded: BTreeSet<u64>,
    /// Whether a thread reads the clock when there are or were several threads.
    pub reads_time: bool,
    /// Whether a round of a loop in which a thread slept was not taken again.
    pub sleeps_in_round: bool,
    /// Whether an atomic section of the program's own waits for other threads: sections are followed step by
    /// step.
    #[serde(default)]
    pub sections_in_steps: bool,
    /// Whether the main thread may end, as others do, in place of the process, and it matters which thread
    /// ends last. Footprints of ends go by this.
    #[serde(default)]
    pub last_end_matters: bool,
    /// Whether the main thread was about to end.
    #[serde(default)]
    pub main_was_to_end: bool,
    /// Whether a thread was about to end after which that matters.
    #[serde(default)]
    pub last_end_counts: bool,
}

impl Learned {
    /// Adds what others have learned.
    pub fn add(&mut self, other: &Self) {
        self.observed.extend(&other.observed);
        self.confirmed.extend(&other.confirmed);
        self.returning.extend(&other.returning);
        self.cuts.extend(&other.cuts);
        self.distinguished.extend(&other.distinguished);
        self.know_threads(other.threads.iter());
        for (address, other) in &other.gatherings {
            self.gather(*address, other.threads.iter().copied(), other.width);
        }
        self.crowded.extend(&other.crowded);
        self.reads_time |= other.reads_time;
        self.sleeps_in_round |= other.sleeps_in_round;
        self.sections_in_steps |= other.sections_in_steps;
        self.last_end_matters |= other.last_end_matters;
        self.last_end_counts |= other.last_end_counts;
        self.main_was_to_end |= other.main_was_to_end;
    }

    /// Nothing but the numbers of threads, if they do not go by the order of creations anyway: one
    /// thread has created all.
    pub fn numbering(threads: &[ThreadName]) -> Self {
        let has_one_creator = threads.iter().skip(1).all(|name| name.is_child_of(&threads[0]));
        let threads = if has_one_creator { Vec::new() } else { threads.to_vec() };
        Self { threads, ..Self::default() }
    }

    /// Adds names of threads that have no number yet. Whether there were any.
    pub fn know_threads<'n>(&mut self, names: impl Iterator<Item = &'n ThreadName>) -> bool {
        let known = self.threads.len();
        for (number, name) in names.enumerate() {
            if self.threads.get(number) != Some(name) && !self.threads.contains(name) {
                self.threads.push(name.clone());
            }
        }
        self.threads.len() > known
    }

    /// Applies what has been noted since. Whether that is new.
    pub fn apply_notes(&mut self) -> bool {
        let matters = self.main_was_to_end && self.last_end_counts && !self.last_end_matters;
        self.last_end_matters |= matters;
        let known = self.crowded.len();
        let crowded = self.gatherings.iter().filter(|(_, gathering)| gathering.is_crowded());
        self.crowded.extend(crowded.map(|(address, _)| *address));
        matters || self.crowded.len() > known
    }

    /// Notes that threads come together at the object at `address`, which waits for `width` of them, if
    /// that is known.
    pub fn gather(&mut self, address: u64, threads: impl IntoIterator<Item = u32>, width: Option<u32>) {
        self.gatherings.entry(address).or_default().add(threads, width);
    }

    /// The reason why an exploration is cut short, if rounds of loops that were left out let time pass and a
    /// thread reads the clock. That thread may observe how many there were.
    pub fn time_left_out(&self) -> Option<Incomplete> {
        (self.reads_time && self.sleeps_in_round).then(|| Incomplete {
            reason: IncompleteReason::TimeSlept,
            what: "a thread sleeps in a loop until another thread's step ends it, and the clock is read: \
                   only one length of the sleep is explored"
                .to_string(),
            span: SpanId::UNKNOWN,
        })
    }

    /// The pieces of a range of memory, in their order.
    pub fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let inside = self.cuts.range(start + 1..end).copied();
        let starts = std::iter::once(start).chain(inside.clone());
        starts.zip(inside.chain(std::iter::once(end)))
    }
}
