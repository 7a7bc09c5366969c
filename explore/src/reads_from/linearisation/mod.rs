//! Whether events with given sources can happen, and in which order.
//!
//! The order in which events take effect must keep what the model keeps of program order. It must put every
//! source before its readers in other threads, and let no other write of the location come between. Orders
//! that follow from these are added until none is left to add (`saturation.rs`). That refutes nearly all that
//! is impossible (Abdulla et al., "Optimal stateless model checking for reads-from equivalence under
//! sequential consistency", OOPSLA 2019). A search (`placing.rs`) then looks for an order in what is left;
//! the first one tried nearly always fits.

mod placing;
mod saturation;

use crate::reads_from::graph::event::{Choice, Event, Location, Touch};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::limits::{MOST_EVENTS, MOST_PLACED};
use symx_trace::ThreadId;

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
    /// The touches of an event where the order of events counts, with its new sources.
    fn touches(&self, index: Index) -> impl Iterator<Item = Touch> {
        let has_changed = self.changed.iter().any(|changed| changed.event == index);
        self.events[usize::from(index)].touches.iter().filter_map(move |touch| {
            let mut touch = *touch;
            let is_here = |changed: &&Changed| changed.event == index && changed.location == touch.location;
            if has_changed && let Some(changed) = self.changed.iter().find(is_here) {
                (touch.source, touch.writes) = (changed.source, changed.writes);
            }
            (touch.choice != Choice::Nothing && (touch.reads || touch.writes)).then_some(touch)
        })
    }

    /// What an event is to observe by one of its touches.
    fn source(&self, index: Index, touch: &Touch) -> Index {
        let mut changed = self.changed.iter();
        let here = changed.find(|changed| (changed.event, changed.location) == (index, touch.location));
        here.map_or(touch.source, |changed| changed.source)
    }

    /// Whether an event is one of several updates that commute.
    fn commutes(&self, index: Index) -> bool {
        index != INITIAL && self.events[usize::from(index)].commuting.is_some()
    }

    /// Whether what two events left is the same to others: commuting updates leave their sum together, all of
    /// them in front of the event that reads it.
    fn is_same_source(&self, one: Index, other: Index) -> bool {
        one == other || self.commutes(one) && self.commutes(other)
    }

    /// Whether all that takes effect before an event has.
    fn is_ready(&self, index: Index, done: &Bits) -> bool {
        let event = &self.events[usize::from(index)];
        if self.changed.iter().all(|changed| changed.event != index) {
            return event.ahead.is_within(done);
        }
        // Its new source is what is newest when its turn has come.
        let has_source = |touch: &Touch| {
            let source = self.source(index, touch);
            !touch.reads || touch.choice != Choice::Nothing || source == INITIAL || done.has(source)
        };
        event.before.is_within(done) && event.touches.iter().all(has_source)
    }
}

/// The change at one location of a reading event.
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
    /// It is unknown.
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
    /// The events that take effect before each event.
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
    /// Stores that are still to leave their buffers.
    in_buffers: Vec<Index>,
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
            in_buffers: Vec::new(),
        }
    }
}

struct Contradiction;

impl Linearisation {
    /// Answers a question about events that touch locations below `locations`.
    pub fn answer(&mut self, question: &Question<'_>, locations: usize) -> Answer {
        self.make_room(locations);
        if let Some(order) = question.with_moved_read() {
            return Answer::Order(order);
        }
        let wanted = self.wanted(question);
        // The order there is, with the smallest changes, is mostly good enough.
        if let Some(order) = self.place_at_once(question, &wanted) {
            return Answer::Order(order);
        }
        self.begin(question);
        if self.saturate(question).is_err() {
            return Answer::Impossible;
        }
        self.last.fill(INITIAL);
        self.place(question, &wanted, MOST_PLACED)
    }

    /// Room for what is known of each of these locations.
    pub fn make_room(&mut self, locations: usize) {
        if self.uses.len() < locations {
            self.uses.resize_with(locations, Vec::new);
            self.last.resize(locations, INITIAL);
        }
    }

    /// The members in the present order, then those that are not in it.
    pub fn wanted(&mut self, question: &Question<'_>) -> Vec<Index> {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads_from::graph::update::Commuting;

    /// Events of two threads: stores (`true`) and loads of locations, in program order, the
    /// loads with their sources.
    fn events(threads: &[&[(bool, Location, Index)]], buffered: bool) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for (thread, accesses) in threads.iter().enumerate() {
            for (ordinal, access) in accesses.iter().enumerate() {
                let mut before = Bits::default();
                for earlier in 0..ordinal {
                    let index = events.len() - ordinal + earlier;
                    if !(buffered && accesses[earlier].0 && !access.0) {
                        before.insert(index as Index);
                    }
                }
                let event = Event::access(ThreadId(thread as u32), ordinal as u32, *access, before);
                events.push(Event { is_buffered: buffered && access.0, ..event });
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
    fn a_sum_is_read_before_it_is_overwritten() {
        // x += 1; x = 5 against read x, which comes after the sum.
        let mut events = events(&[&[(true, 0, 0), (true, 0, 0)], &[(false, 0, 1)]], false);
        events[0].commuting = Some(Commuting::Sum);
        events[2].before.insert(0);
        events[2].ahead.insert(0);
        assert_eq!(answer(&events, &[(2, 0, 0)]), Answer::Order(vec![0, 2, 1]));
        assert_eq!(answer(&events, &[(2, 0, 1)]), Answer::Order(vec![0, 1, 2]));
        assert_eq!(answer(&events, &[(2, 0, INITIAL)]), Answer::Impossible);
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
