//! The search for an order: events are placed one by one.

use super::{Answer, Linearisation, Question, Use};
use crate::reads_from::graph::event::{Choice, Event, Location};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use rustc_hash::FxHashSet;

impl Linearisation {
    /// Places the events one by one, each as early as `wanted` has it, and looks neither back nor closely:
    /// `None` says nothing.
    pub fn place_at_once(&mut self, question: &Question<'_>, wanted: &[Index]) -> Option<Vec<Index>> {
        let mut order = Vec::with_capacity(wanted.len());
        order.extend_from_slice(&wanted[..self.unaffected(question, wanted)]);
        let mut done = Bits::default();
        for index in &order {
            done.insert(*index);
            for touch in question.events[usize::from(*index)].touches.iter().filter(|touch| touch.writes) {
                if touch.choice != Choice::Nothing {
                    self.last[touch.location as usize] = *index;
                }
            }
        }
        let left = wanted[order.len()..].iter().copied();
        self.in_buffers.clear();
        self.in_buffers.extend(left.filter(|index| question.events[usize::from(*index)].is_buffered));
        // How many reads are still to observe a write: it must not be overwritten before.
        self.readers.clear();
        self.readers.resize(question.events.len(), 0);
        self.initial_readers.clear();
        self.initial_readers.resize(self.uses.len(), 0);
        for index in wanted[order.len()..].iter().copied() {
            for touch in question.touches(index).filter(|touch| touch.reads) {
                match touch.source {
                    INITIAL => self.initial_readers[touch.location as usize] += 1,
                    source => self.readers[usize::from(source)] += 1,
                }
            }
        }
        let mut low = order.len();
        loop {
            while low < wanted.len() && done.has(wanted[low]) {
                low += 1;
            }
            if low == wanted.len() {
                return Some(order);
            }
            let index = wanted[low..].iter().copied().find(|index| {
                !done.has(*index) && question.is_ready(*index, &done) && self.is_free(question, *index)
            })?;
            self.put(question, index);
            order.push(index);
            done.insert(index);
        }
    }

    /// How many of the first events can stay as they are in the present order: none of them changes. Any
    /// event that changes, or is not part of that order, can still observe its sources after them.
    fn unaffected(&mut self, question: &Question<'_>, wanted: &[Index]) -> usize {
        const NOWHERE: usize = usize::MAX;
        self.positions.clear();
        self.positions.resize(question.events.len(), NOWHERE);
        let mut listed = 0;
        for index in question.present.iter().filter(|index| question.members.has(**index)) {
            self.positions[usize::from(*index)] = listed;
            listed += 1;
        }
        let mut count = listed;
        let unlisted = wanted[listed..].iter().copied();
        for index in question.changed.iter().map(|changed| changed.event).chain(unlisted) {
            count = count.min(self.positions[usize::from(index)]);
            for touch in question.touches(index).filter(|touch| touch.reads) {
                let end = match touch.source {
                    INITIAL => wanted[..count].iter().position(|other| {
                        question.events[usize::from(*other)]
                            .touch(touch.location)
                            .is_some_and(|touch| touch.writes)
                    }),
                    source => Some(self.positions[usize::from(source)].saturating_add(1)),
                };
                count = count.min(end.unwrap_or(NOWHERE));
            }
        }
        count
    }

    /// Whether an event finds its sources where they are newest, and overwrites nothing that
    /// others are to read.
    fn is_free(&self, question: &Question<'_>, index: Index) -> bool {
        question.touches(index).all(|touch| {
            let location = touch.location as usize;
            let last = self.last[location];
            let waiting = match last {
                INITIAL => self.initial_readers[location],
                last if question.is_same_source(index, last) => 0,
                last => self.readers[usize::from(last)],
            };
            let found = || self.found_by(question, index, touch.location);
            (!touch.reads || question.is_same_source(found(), touch.source))
                && (!touch.writes || waiting <= u32::from(touch.reads))
        })
    }

    /// What an event would read at a location: its thread's newest store before it, if that is still in the
    /// buffer.
    fn found_by(&self, question: &Question<'_>, index: Index, location: Location) -> Index {
        let Event { thread, ordinal, .. } = question.events[usize::from(index)];
        let own = self.in_buffers.iter().copied().filter(|store| {
            let store = &question.events[usize::from(*store)];
            store.thread == thread && store.ordinal < ordinal && store.touch(location).is_some()
        });
        own.max_by_key(|store| question.events[usize::from(*store)].ordinal)
            .unwrap_or(self.last[location as usize])
    }

    fn put(&mut self, question: &Question<'_>, index: Index) {
        for touch in question.touches(index) {
            let location = touch.location as usize;
            if touch.reads {
                match touch.source {
                    INITIAL => self.initial_readers[location] -= 1,
                    source => self.readers[usize::from(source)] -= 1,
                }
            }
            if touch.writes {
                self.last[location] = index;
            }
        }
        if question.events[usize::from(index)].is_buffered {
            self.in_buffers.retain(|store| *store != index);
        }
    }

    /// Places the events one by one, each as early as `wanted` has it. Only the order of several writes is
    /// tried both ways, if that takes no more than `most` steps.
    pub(super) fn place(&mut self, question: &Question<'_>, wanted: &[Index], most: u32) -> Answer {
        let mut order = Vec::with_capacity(wanted.len());
        let mut done = Bits::default();
        let mut overwritten: Vec<(Location, Index)> = Vec::new();
        let mut choices: Vec<Branch> = Vec::new();
        let mut failed: FxHashSet<(Bits, Bits)> = FxHashSet::default();
        let (mut low, mut steps) = (0, 0);
        // Where to look for another write, when those before have been tried without success.
        let mut resumed = None;
        loop {
            while low < wanted.len() && done.has(wanted[low]) {
                low += 1;
            }
            if low == wanted.len() {
                return Answer::Order(order);
            }
            steps += 1;
            let found = match resumed.take() {
                // Reads block no other event, but writes may have to wait for them.
                Some(next) => {
                    self.next_fit(question, wanted, low, &done, |fit| matches!(fit, Fit::Read)).or_else(
                        || self.next_fit(question, wanted, next, &done, |fit| matches!(fit, Fit::Write)),
                    )
                }
                None if !failed.is_empty() && failed.contains(&(done, self.newest())) => None,
                None => self.next_fit(question, wanted, low, &done, |fit| !matches!(fit, Fit::No)),
            };
            match found {
                Some((at, is_choice)) => {
                    let index = wanted[at];
                    if is_choice {
                        let (placed, overwritten) = (order.len(), overwritten.len());
                        choices.push(Branch { done, placed, overwritten, next: at + 1 });
                    }
                    order.push(index);
                    done.insert(index);
                    self.write(question, index, &mut overwritten);
                }
                None if steps > most => return Answer::TooHard,
                None => {
                    failed.insert((done, self.newest()));
                    let Some(choice) = choices.pop() else { return Answer::Impossible };
                    done = choice.done;
                    order.truncate(choice.placed);
                    self.unwrite(&mut overwritten, choice.overwritten);
                    (low, resumed) = (0, Some(choice.next));
                }
            }
        }
    }

    /// The first event in the wanted order, from a position on, whose turn it may be, and whether it writes.
    fn next_fit(
        &self,
        question: &Question<'_>,
        wanted: &[Index],
        from: usize,
        done: &Bits,
        is_wanted: impl Fn(&Fit) -> bool,
    ) -> Option<(usize, bool)> {
        wanted.iter().copied().enumerate().skip(from).find_map(|(at, index)| {
            if done.has(index) || !self.before[usize::from(index)].is_within(done) {
                return None;
            }
            let fit = self.fits(question, index, done);
            is_wanted(&fit).then_some((at, matches!(fit, Fit::Write)))
        })
    }

    /// The writes that a read could observe now.
    fn newest(&self) -> Bits {
        let mut newest = Bits::default();
        let last = self.used.iter().map(|location| self.last[*location as usize]);
        last.filter(|index| *index != INITIAL).for_each(|index| newest.insert(index));
        newest
    }

    fn write(&mut self, question: &Question<'_>, index: Index, overwritten: &mut Vec<(Location, Index)>) {
        for touch in &question.events[usize::from(index)].touches {
            let location = touch.location as usize;
            if self.uses[location].iter().any(|entry| entry.event == index && entry.writes) {
                overwritten.push((touch.location, self.last[location]));
                self.last[location] = index;
            }
        }
    }

    fn unwrite(&mut self, overwritten: &mut Vec<(Location, Index)>, mark: usize) {
        while overwritten.len() > mark
            && let Some((location, last)) = overwritten.pop()
        {
            self.last[location as usize] = last;
        }
    }

    /// Whether an event whose turn it may be finds its sources and takes none away from others.
    fn fits(&self, question: &Question<'_>, index: Index, done: &Bits) -> Fit {
        let mut fit = Fit::Read;
        for touch in &question.events[usize::from(index)].touches {
            let location = touch.location as usize;
            let uses = &self.uses[location];
            let Some(entry) = uses.iter().find(|entry| entry.event == index) else { continue };
            let last = self.last[location];
            if entry.reads {
                // A thread reads its own buffered store from the buffer.
                let pending = |other: &&Use| {
                    other.writes
                        && other.thread == entry.thread
                        && other.ordinal < entry.ordinal
                        && !done.has(other.event)
                };
                let own = uses.iter().filter(pending).max_by_key(|other| other.ordinal);
                if !question.is_same_source(own.map_or(last, |own| own.event), entry.source) {
                    return Fit::No;
                }
            }
            if entry.writes {
                fit = Fit::Write;
                let waiting = |other: &Use| {
                    other.reads
                        && question.is_same_source(other.source, last)
                        && other.event != index
                        && !done.has(other.event)
                };
                if !question.is_same_source(index, last) && uses.iter().any(waiting) {
                    return Fit::No;
                }
            }
        }
        fit
    }
}

/// A point at which one of several writes was placed.
struct Branch {
    done: Bits,
    placed: usize,
    overwritten: usize,
    /// Where to look for the next one to try.
    next: usize,
}

/// Whether an event's turn has come.
enum Fit {
    No,
    Read,
    Write,
}
