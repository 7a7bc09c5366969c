//! Orders that follow from what a question asks, until none is left to add: they refute nearly
//! all that is impossible.

use super::{Changed, Contradiction, Linearisation, Question, Use};
use crate::reads_from::graph::event::Choice;
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};

impl Linearisation {
    /// Enters the events with what directly follows.
    pub(super) fn begin(&mut self, question: &Question<'_>) {
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

    /// Adds orders that follow. A write that must come before a read comes before the read's source. One that
    /// must come after the source comes after the read.
    pub(super) fn saturate(&mut self, question: &Question<'_>) -> Result<(), Contradiction> {
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
                if write.event == read.event || question.is_same_source(write.event, read.source) {
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
}
