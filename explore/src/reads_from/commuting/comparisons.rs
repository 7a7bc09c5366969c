//! Comparisons of what updates find that commute: they must come out alike in every order.
//!
//! A thread that drops its share of an object asks whether it was the last one. As long as others keep
//! theirs, the answer is no in whatever order they come. So such an update need not read. The numbers that
//! it may find lie between those with all updates before it that lower the number, and with all that raise
//! it. Only those count that are in no certain order to it. An update that lowers the number counts for
//! nothing where one that raises it has to come first: a share is dropped after it was taken.

use crate::reads_from::graph::event::{Event, Kind, Location};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::graph::update::{Commuting, Update};
use crate::reads_from::{Halt, Walk};
use symx_interp::environment::Environment;
use symx_interp::state::State;

/// An update at a location, among those that commute with it.
struct Summand<'e> {
    number: Index,
    event: &'e Event,
    /// What it adds.
    added: i64,
    /// Whether the number in memory has it.
    is_in_memory: bool,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Where a new update makes it uncertain how a comparison comes out, its own or that of an update in no
    /// certain order to it, the updates there are distinguished from now on.
    pub(in crate::reads_from) fn keep_answers(
        &mut self,
        state: &State<E>,
        event: &Event,
    ) -> Result<(), Halt> {
        let (Some(Commuting::Sum), [touch]) = (event.commuting, &event.touches[..]) else { return Ok(()) };
        let Some(range) = self.graph.locations.range(touch.location) else { return Ok(()) };
        if self.are_alike(state, event, touch.location, range) {
            return Ok(());
        }
        self.distinguish(touch.location)
    }

    /// The number that an event finds where it observes a source, if it is known. An update that observes
    /// what commuting updates left needs to know it: they are distinguished from now on.
    pub(in crate::reads_from) fn number_found(
        &mut self,
        index: Index,
        location: Location,
        source: Index,
    ) -> Result<Option<u64>, Halt> {
        let event = |index: Index| &self.graph.events[usize::from(index)];
        let is_sum = source != INITIAL && event(source).commuting.is_some();
        if is_sum && matches!(event(index).kind, Kind::Update(_)) {
            self.distinguish(location)?;
        }
        Ok(self.value_of(source, location))
    }

    fn are_alike(
        &self,
        state: &State<E>,
        event: &Event,
        location: Location,
        (start, end): (u64, u64),
    ) -> bool {
        let new = self.graph.events.len() as Index;
        let known = || self.graph.writes[location as usize].iter().copied();
        let is_beside = |index: &Index| !event.ahead.has(*index);
        let concerned = || known().filter(is_beside).map(|index| &self.graph.events[usize::from(index)]);
        if event.asked.is_none() && concerned().all(|other| other.asked.is_none()) {
            return true;
        }
        let Some(now) = self.number_at(state, start, end) else { return false };
        let mut summands = Vec::new();
        for index in known() {
            let other = &self.graph.events[usize::from(index)];
            if other.commuting != Some(Commuting::Sum) {
                continue;
            }
            let Some(added) = other.update.and_then(Update::added) else { return false };
            summands.push(Summand {
                number: index,
                event: other,
                added,
                is_in_memory: !self.is_to_come(index),
            });
        }
        let Some(added) = event.update.and_then(Update::added) else { return false };
        summands.push(Summand { number: new, event, added, is_in_memory: false });
        let mut asking = summands.iter().filter(|asking| asking.number == new || is_beside(&asking.number));
        asking.all(|asking| asking.is_answered_alike(&summands, now))
    }
}

impl Summand<'_> {
    /// Whether its comparisons come out alike wherever it comes, where memory holds `now`.
    fn is_answered_alike(&self, summands: &[Self], now: u64) -> bool {
        let Some(asked) = &self.event.asked else { return true };
        let is_after = |other: &Self| other.event.ahead.has(self.number);
        let is_before = |other: &Self| self.event.ahead.has(other.number);
        // What memory holds without all that is not certainly there before it.
        let uncertain = || summands.iter().filter(|other| !is_before(other));
        let taken_back = |number: u64, other: &Self| number.wrapping_sub(other.added as u64);
        let without = uncertain().filter(|other| other.is_in_memory).fold(now, taken_back);
        let beside: Vec<&Self> =
            uncertain().filter(|other| other.number != self.number && !is_after(other)).collect();
        let below = most_changed(&beside, |added| added < 0);
        let above = most_changed(&beside, |added| added > 0);
        asked.iter().all(|comparison| comparison.is_alike(without, below, above))
    }
}

/// How far those of these summands that are meant may change the number, wherever it is read between them. A
/// summand that is meant counts no more than others ahead of it, which go the other way, leave of it.
fn most_changed(summands: &[&Summand<'_>], is_meant: fn(i64) -> bool) -> u64 {
    let mut left: Vec<u64> = summands.iter().map(|summand| summand.added.unsigned_abs()).collect();
    let mut most = 0_u64;
    for (meant, summand) in summands.iter().enumerate().filter(|(_, summand)| is_meant(summand.added)) {
        // The latest first: earlier ones may be ahead of more.
        for (other, counter) in summands.iter().enumerate().rev() {
            if !is_meant(counter.added) && summand.event.ahead.has(counter.number) {
                let balanced = left[meant].min(left[other]);
                left[meant] -= balanced;
                left[other] -= balanced;
            }
        }
        most = most.saturating_add(left[meant]);
    }
    most
}
