//! Whether events with given sources can happen, and in which order.
//!
//! The order in which events take effect must keep what the model keeps of program order, put every source before
//! those who read it in another thread, and let no other write of the location come between. Orders that follow from
//! these are added until none is left to add; that refutes nearly all that is impossible (Abdulla et al., "Optimal
//! stateless model checking for reads-from equivalence under sequential consistency", OOPSLA 2019). What is left is
//! searched for an order, which is nearly always the first one tried.

use super::bits::{Bits, MOST_EVENTS};
use super::event::{Choice, Event, INITIAL, Index, Location, Touch};
use rustc_hash::FxHashSet;
use symx_trace::ThreadId;

/// How many events a search for an order may place before it is given up.
const MOST_STEPS: u32 = 200_000;

/// A question: these events, of which some are to have another source than they have now.
#[derive(Debug)]
pub(super) struct Question<'q> {
    pub events: &'q [Event],
    pub members: Bits,
    /// Reading events that shall have other sources, each after those it shall observe.
    pub changed: &'q [Changed],
    /// The order that events have now; it is kept where possible.
    pub present: &'q [Index],
    /// Whether there are events that go through store buffers.
    pub has_buffers: bool,
}

impl Question<'_> {
    /// What an event does where the order of events counts, with its new sources. What commuting updates leave they leave
    /// in any order, all of them in front of who reads it: so that one is like one that does not read.
    fn touches(&self, index: Index) -> impl Iterator<Item = Touch> {
        let has_changed = self.changed.iter().any(|changed| changed.event == index);
        self.events[usize::from(index)].touches.iter().filter_map(move |touch| {
            let mut touch = *touch;
            let is_here = |changed: &&Changed| changed.event == index && changed.location == touch.location;
            if has_changed && let Some(changed) = self.changed.iter().find(is_here) {
                (touch.source, touch.writes) = (changed.source, changed.writes);
            }
            touch.reads &=
                touch.source == INITIAL || self.events[usize::from(touch.source)].commuting.is_none();
            (touch.choice != Choice::Nothing && (touch.reads || touch.writes)).then_some(touch)
        })
    }

    /// Whether all that takes effect before an event has, if nothing goes through a store buffer.
    fn is_ready(&self, index: Index, done: &Bits) -> bool {
        let event = &self.events[usize::from(index)];
        if self.changed.iter().all(|changed| changed.event != index) {
            return event.ahead.is_within(done);
        }
        // Its new source is what is newest when its turn has come.
        let has_source = |touch: &Touch| {
            !touch.reads
                || touch.choice != Choice::Nothing
                || touch.source == INITIAL
                || done.has(touch.source)
        };
        event.before.is_within(done) && event.touches.iter().all(has_source)
    }
}

/// What changes at one location of a reading event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    pub event: Index,
    pub location: Location,
    pub source: Index,
    /// Whether the event then writes there.
    pub writes: bool,
}

/// The answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The events can take effect in this order.
    Order(Vec<Index>),
    Impossible,
    /// Nobody knows.
    TooHard,
}

/// One event's touch of a location, as the question has it.
#[derive(Clone, Copy, Debug)]
struct Use {
    event: Index,
    thread: ThreadId,
    ordinal: u32,
    reads: bool,
    writes: bool,
    source: Index,
    /// Whether it is one of those that all observe each other, and so are in order already.
    is_chained: bool,
}

/// Answers questions; keeps its tables between them.
#[derive(Debug)]
pub(super) struct Linearisation {
    /// What takes effect before each event.
    before: Box<[Bits]>,
    uses: Vec<Vec<Use>>,
    /// Locations with uses.
    used: Vec<Location>,
    last: Vec<Index>,
    /// How many reads are still to observe each write, and what was there before all, by location.
    readers: Vec<u32>,
    initial_readers: Vec<u32>,
    /// Where each event is in the present order.
    positions: Vec<usize>,
}

impl Default for Linearisation {
    fn default() -> Self {
        let before = vec![Bits::default(); MOST_EVENTS].into_boxed_slice();
        Self {
            before,
            uses: Vec::new(),
            used: Vec::new(),
            last: Vec::new(),
            readers: Vec::new(),
            initial_readers: Vec::new(),
            positions: Vec::new(),
        }
    }
}

struct Contradiction;

impl Linearisation {
    /// Answers a question about events that touch locations below `locations`.
    pub fn answer(&mut self, question: &Question<'_>, locations: usize) -> Answer {
        if self.uses.len() < locations {
            self.uses.resize_with(locations, Vec::new);
            self.last.resize(locations, INITIAL);
        }
        let is_buffered = |index: Index| question.events[usize::from(index)].is_buffered;
        let has_buffered = question.has_buffers && question.members.iter().any(is_buffered);
        if !has_buffered && let Some(order) = question.with_moved_read() {
            return Answer::Order(order);
        }
        let wanted = self.wanted(question);
        // The order there is, with the smallest changes, is mostly good enough.
        if !has_buffered && let Some(order) = self.place_at_once(question, &wanted) {
            return Answer::Order(order);
        }
        self.begin(question);
        if has_buffered {
            self.last.fill(INITIAL);
            let at_once = self.place(question, &wanted, 0);
            if matches!(at_once, Answer::Order(_)) {
                return at_once;
            }
        }
        if self.saturate(question).is_err() {
            return Answer::Impossible;
        }
        self.last.fill(INITIAL);
        self.place(question, &wanted, MOST_STEPS)
    }

    /// Enters the events with what directly follows.
    fn begin(&mut self, question: &Question<'_>) {
        for location in self.used.drain(..) {
            self.uses[location as usize].clear();
        }
        let mut late = Bits::default();
        late.extend(question.changed.iter().map(|changed| changed.event));
        // Those that change come after their new sources, in the order given.
        for index in question.members.iter().filter(|index| !late.has(*index)) {
            self.enter(question, index);
        }
        for changed in question.changed {
            self.enter(question, changed.event);
        }
    }

    fn enter(&mut self, question: &Question<'_>, index: Index) {
        let event = &question.events[usize::from(index)];
        let changes = question.changed.iter().any(|changed| changed.event == index);
        let mut before = if changes { Bits::default() } else { event.ahead };
        if changes {
            for earlier in event.before.iter() {
                before.insert(earlier);
                before.union(&self.before[usize::from(earlier)]);
            }
        }
        for touch in &event.touches {
            let mut entry = Use {
                event: index,
                thread: event.thread,
                ordinal: event.ordinal,
                reads: touch.reads,
                writes: touch.writes,
                source: touch.source,
                is_chained: touch.choice == Choice::Next,
            };
            let is_here = |changed: &&Changed| changed.event == index && changed.location == touch.location;
            if let Some(changed) = question.changed.iter().find(is_here) {
                (entry.source, entry.writes) = (changed.source, changed.writes);
            }
            if changes && touch.reads && entry.source != INITIAL {
                let source = &question.events[usize::from(entry.source)];
                if source.commuting.is_none() && !(source.is_buffered && source.thread == event.thread) {
                    before.insert(entry.source);
                    before.union(&self.before[usize::from(entry.source)]);
                }
            }
            // What commuting updates leave they leave in any order, all of them in front of who reads it.
            entry.reads &=
                entry.source == INITIAL || question.events[usize::from(entry.source)].commuting.is_none();
            if touch.choice == Choice::Nothing || !(entry.reads || entry.writes) {
                continue;
            }
            let uses = &mut self.uses[touch.location as usize];
            if uses.is_empty() {
                self.used.push(touch.location);
            }
            uses.push(entry);
        }
        self.before[usize::from(index)] = before;
    }

    fn order(&mut self, question: &Question<'_>, first: Index, second: Index) -> Result<bool, Contradiction> {
        if self.before[usize::from(second)].has(first) {
            return Ok(false);
        }
        if first == second || self.before[usize::from(first)].has(second) {
            return Err(Contradiction);
        }
        let mut added = self.before[usize::from(first)];
        added.insert(first);
        for index in question.members.iter() {
            if index == second || self.before[usize::from(index)].has(second) {
                self.before[usize::from(index)].union(&added);
            }
        }
        Ok(true)
    }

    /// Adds what follows: a write that must come before a read comes before what it reads, and one that must come
    /// after what is read comes after the read.
    fn saturate(&mut self, question: &Question<'_>) -> Result<(), Contradiction> {
        loop {
            let mut changed = false;
            for at in 0..self.used.len() {
                let uses = std::mem::take(&mut self.uses[self.used[at] as usize]);
                let result = self.saturate_location(question, &uses);
                self.uses[self.used[at] as usize] = uses;
                changed |= result?;
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn saturate_location(&mut self, question: &Question<'_>, uses: &[Use]) -> Result<bool, Contradiction> {
        let mut changed = false;
        for read in uses.iter().filter(|entry| entry.reads && !entry.is_chained) {
            for write in uses.iter().filter(|entry| entry.writes) {
                if write.event == read.event || write.event == read.source {
                    continue;
                }
                let own = write.thread == read.thread && write.ordinal < read.ordinal;
                if read.source == INITIAL {
                    if own {
                        return Err(Contradiction);
                    }
                    changed |= self.order(question, read.event, write.event)?;
                    continue;
                }
                if own || self.before[usize::from(read.event)].has(write.event) {
                    changed |= self.order(question, write.event, read.source)?;
                }
                if self.before[usize::from(write.event)].has(read.source) {
                    changed |= self.order(question, read.event, write.event)?;
                }
            }
        }
        Ok(changed)
    }

    /// The members in the present order, then those that are not in it.
    fn wanted(&mut self, question: &Question<'_>) -> Vec<Index> {
        let mut wanted = Vec::with_capacity(question.events.len());
        let mut unlisted = question.members;
        for index in question.present.iter().copied().filter(|index| question.members.has(*index)) {
            wanted.push(index);
            unlisted.remove(index);
        }
        wanted.extend(unlisted.iter());
        self.last.fill(INITIAL);
        wanted
    }

    /// Places the events one by one, each as early as `wanted` has it, and looks neither back nor closely: `None` says
    /// nothing. None goes through a store buffer.
    fn place_at_once(&mut self, question: &Question<'_>, wanted: &[Index]) -> Option<Vec<Index>> {
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

    /// How many of the first events can stay as they are in the present order: none of them changes, and whatever changes,
    /// or is not part of that order, can still observe its sources behind them.
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

    /// Whether an event finds its sources where they are newest, and overwrites nothing that others are to read.
    fn is_free(&self, question: &Question<'_>, index: Index) -> bool {
        question.touches(index).all(|touch| {
            let location = touch.location as usize;
            let last = self.last[location];
            let waiting = match last {
                INITIAL => self.initial_readers[location],
                last => self.readers[usize::from(last)],
            };
            (!touch.reads || last == touch.source) && (!touch.writes || waiting <= u32::from(touch.reads))
        })
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
    }

    /// Places the events one by one, each as early as `wanted` has it; only which of several writes comes next is
    /// tried both ways, if that takes no more than `most` steps.
    fn place(&mut self, question: &Question<'_>, wanted: &[Index], most: u32) -> Answer {
        let mut order = Vec::with_capacity(wanted.len());
        let mut done = Bits::default();
        let mut overwritten: Vec<(Location, Index)> = Vec::new();
        let mut choices: Vec<Branch> = Vec::new();
        let mut failed: FxHashSet<(Bits, Bits)> = FxHashSet::default();
        let (mut low, mut steps) = (0, 0);
        // Where to look for another write, when those before have been tried in vain.
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
                // Reads are in nobody's way, but writes may have to wait for them.
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
                // What the thread itself has in its buffer it reads from there.
                let pending = |other: &&Use| {
                    other.writes
                        && other.thread == entry.thread
                        && other.ordinal < entry.ordinal
                        && !done.has(other.event)
                };
                let own = uses.iter().filter(pending).max_by_key(|other| other.ordinal);
                if own.map_or(last, |own| own.event) != entry.source {
                    return Fit::No;
                }
            }
            if entry.writes {
                fit = Fit::Write;
                let waiting = |other: &Use| {
                    other.reads && other.source == last && other.event != index && !done.has(other.event)
                };
                if uses.iter().any(waiting) {
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

#[cfg(test)]
mod tests {
    use super::super::event::{Kind, Name, Touch};
    use super::*;
    use smallvec::smallvec;
    use symx_memmodel::Ordering;

    /// Events of two threads: stores (`true`) and loads of locations, in program order, the loads with their sources.
    fn events(threads: &[&[(bool, Location, Index)]], buffered: bool) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for (thread, accesses) in threads.iter().enumerate() {
            for (ordinal, (writes, location, source)) in accesses.iter().enumerate() {
                let mut before = Bits::default();
                for earlier in 0..ordinal {
                    let index = events.len() - ordinal + earlier;
                    if !(buffered && accesses[earlier].0 && !writes) {
                        before.insert(index as Index);
                    }
                }
                events.push(Event {
                    thread: ThreadId(thread as u32),
                    ordinal: ordinal as u32,
                    kind: Kind::Load(Ordering::Monotonic),
                    touches: smallvec![Touch {
                        location: *location,
                        reads: !writes,
                        writes: *writes,
                        choice: Choice::Source,
                        source: *source,
                    }],
                    name: Name::INITIAL,
                    past: Bits::default(),
                    before,
                    ahead: Bits::default(),
                    is_buffered: buffered && *writes,
                    end: None,
                    is_lasting: false,
                    ends_lives: false,
                    update: None,
                    commuting: None,
                    changes_memory: false,
                    leaves_trace: false,
                    sleeps: false,
                    value: None,
                    adds_unseen: false,
                    sum: None,
                    alternative: None,
                    spins: false,
                    undone: None,
                });
            }
        }
        for index in 0..events.len() {
            let mut ahead = events[index].before;
            let earlier: Vec<Bits> = ahead.iter().map(|earlier| events[usize::from(earlier)].ahead).collect();
            earlier.iter().for_each(|earlier| ahead.union(earlier));
            events[index].ahead = ahead;
        }
        events
    }

    fn answer(events: &[Event], changed: &[(Index, Location, Index)]) -> Answer {
        // Sources may be later in the list, so all that read are entered as if they changed.
        let reads = (0..).zip(events).filter(|(_, event)| event.touches[0].reads);
        let changed: Vec<Changed> = reads
            .map(|(index, event)| {
                let touch = event.touches[0];
                let new = changed.iter().find(|(changed, ..)| *changed == index);
                let source = new.map_or(touch.source, |(.., source)| *source);
                Changed { event: index, location: touch.location, source, writes: false }
            })
            .collect();
        let changed = &changed[..];
        let question =
            Question { events, members: Bits::first(events.len()), changed, present: &[], has_buffers: true };
        Linearisation::default().answer(&question, 4)
    }

    #[test]
    fn stores_overtaken_by_loads_need_a_buffer() {
        let threads: [&[(bool, Location, Index)]; 2] =
            [&[(true, 0, 0), (false, 1, INITIAL)], &[(true, 1, 0), (false, 0, INITIAL)]];
        assert_eq!(answer(&events(&threads, false), &[]), Answer::Impossible);
        assert!(matches!(answer(&events(&threads, true), &[]), Answer::Order(_)));
        let seen = [(3, 0, 0)];
        assert!(matches!(answer(&events(&threads, false), &seen), Answer::Order(_)));
    }

    #[test]
    fn a_thread_reads_its_own_store_before_others_do() {
        // x = 1; read x; read y = 0 against y = 1; read y; read x = 0.
        let threads: [&[(bool, Location, Index)]; 2] = [
            &[(true, 0, 0), (false, 0, 0), (false, 1, INITIAL)],
            &[(true, 1, 0), (false, 1, 3), (false, 0, INITIAL)],
        ];
        assert!(matches!(answer(&events(&threads, true), &[]), Answer::Order(_)));
        assert_eq!(answer(&events(&threads, false), &[]), Answer::Impossible);
    }

    #[test]
    fn readers_agree_on_the_order_of_writes() {
        let threads: [&[(bool, Location, Index)]; 4] = [
            &[(true, 0, 0)],
            &[(true, 0, 0)],
            &[(false, 0, 0), (false, 0, 1)],
            &[(false, 0, 1), (false, 0, 0)],
        ];
        assert_eq!(answer(&events(&threads, false), &[]), Answer::Impossible);
        let agreeing = [(4, 0, 0), (5, 0, 1)];
        assert!(matches!(answer(&events(&threads, false), &agreeing), Answer::Order(_)));
    }
}
