//! Alternative sources of an event: the questions that a new event raises, and the plans that come of the
//! answers.
//!
//! The executions that go on from a choice point are distinguished by what its event observes. A read
//! observes a write, named with its whole past. So a read and a write that is not in the read's future make
//! an alternative, unless it contradicts what came before the choice point. Of updates that observe the same
//! write, only one is possible. One that comes later steals the source of the earlier, which observes the
//! thief then.

use crate::reads_from::choice_points::backtrack_point::Opened;
use crate::reads_from::graph::event::{Choice, Event, Kind, Location, Name, Touch};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::linearisation::{Answer, Changed, Question};
use crate::reads_from::symmetry::Alternative;
use crate::reads_from::{Halt, Plan, PlannedStep, Walk, Why};
use symx_interp::environment::Environment;
use symx_trace::ThreadId;

/// An alternative is found by the changes at one place. Changes at two at once are not among them.
pub(super) const CONTENDED_TWICE: Halt = Halt::Beyond(TWICE);

/// The same, in words.
pub(in crate::reads_from) const TWICE: &str = "operations contended at two objects";

impl<E: Environment> Walk<'_, '_, E> {
    /// Looks for alternatives of a new read among the writes there are.
    pub(in crate::reads_from) fn sources_of(&mut self, node: usize) -> Result<(), Halt> {
        let event = self.path.nodes[node].event;
        for at in 0..self.graph.events[usize::from(event)].touches.len() {
            let touch = self.graph.events[usize::from(event)].touches[at];
            if !touch.reads || touch.choice != Choice::Source {
                continue;
            }
            for at in 0..self.graph.writes[touch.location as usize].len() {
                let write = self.graph.writes[touch.location as usize][at];
                if write != touch.source && write != event {
                    self.propose_source(node, touch.location, write)?;
                }
            }
            if touch.source != INITIAL {
                self.propose_source(node, touch.location, INITIAL)?;
            }
        }
        Ok(())
    }

    /// Looks for choice points whose event could observe a new event, or could have its source stolen by it.
    pub(in crate::reads_from) fn readers_of(&mut self, index: Index) -> Result<(), Halt> {
        for at in 0..self.graph.events[usize::from(index)].touches.len() {
            let event = &self.graph.events[usize::from(index)];
            let touch = event.touches[at];
            // An update that wrote nothing new here may do so there.
            let updates = touch.reads && (touch.writes || event.update.is_some());
            if !touch.writes && !updates {
                continue;
            }
            for node in 0..self.path.nodes.len() {
                let reader = self.path.nodes[node].event;
                let Some(observed) = self.graph.events[usize::from(reader)].touch(touch.location).copied()
                else {
                    continue;
                };
                if !observed.reads || observed.choice != Choice::Source || reader == index {
                    continue;
                }
                let is_past = self.graph.events[usize::from(index)].past.has(reader);
                if is_past && !updates {
                    continue;
                }
                if touch.writes && !is_past {
                    self.propose_source(node, touch.location, index)?;
                }
                if updates && observed.writes && touch.source != observed.source {
                    self.propose_theft(node, touch.location, index)?;
                }
            }
        }
        Ok(())
    }

    /// The name that distinguishes an event that observes `source`.
    pub(in crate::reads_from) fn name_of_source(&self, source: Index) -> Name {
        if source == INITIAL {
            return Name::INITIAL;
        }
        let source = &self.graph.events[usize::from(source)];
        if source.commuting.is_some() { Name::COMMUTED } else { source.name }
    }

    /// The name that distinguishes an event that observes `source` at `location`.
    pub(in crate::reads_from) fn name_at(&self, location: Location, source: Index) -> Name {
        self.name_of_source(source).with(self.graph.locations.identity(location))
    }

    /// The past of an event, and its name, if it has these sources.
    pub(in crate::reads_from) fn as_if(
        &self,
        event: &Event,
        source_at: impl Fn(&Touch) -> Index,
    ) -> (Bits, Name) {
        let mut past = Bits::default();
        let previous = self.previous_of(event).map(|previous| &self.graph.events[usize::from(previous)]);
        if let Some(previous) = previous {
            past.union(&previous.past);
        }
        let name = self.name_of(event, event.thread, previous.map(|previous| previous.name), |touch| {
            let source = source_at(touch);
            if source != INITIAL && self.graph.events[usize::from(source)].commuting.is_none() {
                past.union(&self.graph.events[usize::from(source)].past);
            }
            self.name_of_source(source)
        });
        (past, name)
    }

    /// The name of what an event is, done by `thread` after an event named `previous`, where it reads from
    /// what is named by `source_at`.
    pub(in crate::reads_from) fn name_of(
        &self,
        event: &Event,
        thread: ThreadId,
        previous: Option<Name>,
        mut source_at: impl FnMut(&Touch) -> Name,
    ) -> Name {
        let mut name = Name::of(thread, event.ordinal);
        if let Some(previous) = previous {
            name = name.after(previous);
        }
        for touch in &event.touches {
            let source = touch.reads.then(|| source_at(touch));
            // A share in which nothing was left is as one that is not known yet.
            let is_empty = source == Some(Name::INITIAL) && !touch.writes;
            if is_empty && self.graph.locations.is_share(touch.location) {
                continue;
            }
            name = name.with(self.graph.locations.identity(touch.location));
            if let Some(source) = source {
                name = name.after(source);
            }
        }
        name
    }

    /// How events of one number of a thread differ by what they touch alone. That of an operation may
    /// depend on what others did before (which open file a number means), which this walk does not cover.
    pub(in crate::reads_from) fn places_of(&self, event: &Event) -> Name {
        let is_operation = matches!(event.kind, Kind::Operation { .. });
        let name = Name::of(event.thread, event.ordinal);
        event.touches.iter().fold(name, |name, touch| {
            let name = name.with(self.graph.locations.identity(touch.location));
            // Whether an update writes depends on what it reads.
            let mode = u128::from(touch.reads) | u128::from(touch.writes) << 1;
            if is_operation { name.with(mode) } else { name }
        })
    }

    pub(in crate::reads_from) fn previous_of(&self, event: &Event) -> Option<Index> {
        let before = event.ordinal.checked_sub(1)?;
        self.graph.threads[event.thread.index()].events.get(before as usize).copied()
    }

    /// The event at `node` observes `write` instead.
    fn propose_source(&mut self, node: usize, location: Location, write: Index) -> Result<(), Halt> {
        let reader = self.path.nodes[node].event;
        let name = self.name_of_source(write);
        let seen = self.name_at(location, write);
        if self.is_hidden(reader, location, write) {
            return Ok(());
        }
        if self.graph.events[usize::from(reader)].turns().next().is_some() {
            return Err(CONTENDED_TWICE);
        }
        if !self.contend(node, location)?.seen.insert(seen) || self.would_wait_in_vain(node, location, write)
        {
            return Ok(());
        }
        let mut members = self.known_before(self.path.nodes[node].base);
        if write != INITIAL {
            members.union(&self.graph.events[usize::from(write)].past);
        }
        members.insert(reader);
        let found = self.number_found(reader, location, write)?;
        let (writes, _) = self.would_leave(reader, location, found)?;
        let changed = [Changed { event: reader, location, source: write, writes }];
        let (event, location) = (write, Some(location));
        let alternative = Alternative { event, location, changed: &changed, members: &members, name: seen };
        if write != INITIAL && self.is_left_out(node, &alternative) {
            return Ok(());
        }
        self.ask(node, members, &changed, (reader, name, Why::Source))
    }

    /// Whether another write certainly comes between a write and a read.
    pub(super) fn is_hidden(&self, reader: Index, location: Location, write: Index) -> bool {
        let event = &self.graph.events[usize::from(reader)];
        let own = |other: &Event| other.thread == event.thread && other.ordinal < event.ordinal;
        let hides = |between: Index| {
            let other = &self.graph.events[usize::from(between)];
            between != write
                && between != reader
                && (write == INITIAL || other.ahead.has(write))
                && (own(other) || self.comes_ahead(between, event))
        };
        // The one that it observes now does so most often.
        let source = event.touch(location).map_or(INITIAL, |touch| touch.source);
        source != INITIAL && hides(source)
            || self.graph.writes[location as usize].iter().any(|between| hides(*between))
    }

    /// The update `thief` observes what the one at `node` observes now, and that one observes the thief.
    fn propose_theft(&mut self, node: usize, location: Location, thief: Index) -> Result<(), Halt> {
        let victim = self.path.nodes[node].event;
        let source =
            self.graph.events[usize::from(victim)].touch(location).map_or(INITIAL, |touch| touch.source);
        let (past, name) = self.as_if(&self.graph.events[usize::from(thief)], |touch| {
            if touch.location == location { source } else { touch.source }
        });
        let seen = name.with(self.graph.locations.identity(location));
        if past.has(victim) || !self.contend(node, location)?.seen.insert(seen) {
            return Ok(());
        }
        let found = self.number_found(thief, location, source)?;
        let (steals, left) = self.would_leave(thief, location, found)?;
        if !steals {
            return Ok(());
        }
        let (writes, _) = self.would_leave(victim, location, left)?;
        let mut members = self.known_before(self.path.nodes[node].base);
        members.union(&past);
        members.insert(thief);
        members.insert(victim);
        let changed = [
            Changed { event: thief, location, source, writes: true },
            Changed { event: victim, location, source: thief, writes },
        ];
        let (event, location) = (thief, Some(location));
        let alternative = Alternative { event, location, changed: &changed, members: &members, name: seen };
        if self.is_left_out(node, &alternative) {
            return Ok(());
        }
        self.ask(node, members, &changed, (victim, name, Why::Theft))
    }

    /// The number that an event left at a place in memory, if it is known.
    pub(in crate::reads_from) fn value_of(&self, source: Index, location: Location) -> Option<u64> {
        let phase = self.graph.phase();
        match source {
            source if source != INITIAL && usize::from(source) >= phase => {
                self.graph.events.get(usize::from(source))?.value
            }
            // A thread that was alone since may have changed what an earlier event left.
            _ => self.graph.starts.of(location, phase)?,
        }
    }

    /// Whether an event that finds `old` writes anything that others could distinguish from it, and what it
    /// leaves.
    fn would_leave(
        &self,
        index: Index,
        location: Location,
        old: Option<u64>,
    ) -> Result<(bool, Option<u64>), Halt> {
        let event = &self.graph.events[usize::from(index)];
        match (event.kind, event.update, old) {
            (Kind::Update(_), Some(update), Some(old)) => {
                let new = update.result(old);
                Ok((new != old, Some(new)))
            }
            (Kind::Update(_), ..) => Err(Halt::Beyond("updates of unknown numbers")),
            // An end of a life that came too late has failed and left nothing. In time it does not fail.
            _ => Ok((event.ends_lives || event.touch(location).is_some_and(|touch| touch.writes), None)),
        }
    }

    /// Notes that the event at `node` could observe something else at `location`. An event of which that is
    /// so at two places is beyond this walk.
    fn contend(&self, node: usize, location: Location) -> Result<Opened<'_>, Halt> {
        let place = self.graph.locations.identity(location);
        let mut alternatives = self.path.nodes[node].alternatives();
        if *alternatives.contended.get_or_insert(place) != place {
            return Err(CONTENDED_TWICE);
        }
        Ok(alternatives)
    }

    /// Whether an alternative shows nothing new, as an exchange of identical threads makes it one
    /// that has been seen.
    pub(super) fn is_left_out(&mut self, node: usize, alternative: &Alternative<'_>) -> bool {
        let is_left_out = self.options.symmetry && self.is_exchange_of_seen(node, alternative);
        self.found.result.exchanged += u64::from(is_left_out);
        is_left_out
    }

    /// Adds a plan to the choice point at `node` in which these members take effect with these changes, for
    /// `event`, if there is an order in which they can.
    pub(super) fn ask(
        &mut self,
        node: usize,
        members: Bits,
        changed: &[Changed],
        (event, name, why): (Index, Name, Why),
    ) -> Result<(), Halt> {
        let Some(steps) = self.steps_to(members, changed)? else { return Ok(()) };
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(event)];
        let base = self.path.nodes[node].base;
        let foreseen = self.foresee(base, members.count_from(base), &steps, changed);
        let is_other = |index| changed.iter().any(|changed| changed.event == index);
        let choices = self.planned_choices(members.iter(), is_other);
        let places = Some(self.places_of(&self.graph.events[usize::from(event)]));
        let is_together = why == Why::Rival && self.graph.events[usize::from(event)].is_together();
        let asleep = Vec::new();
        let plan = Plan { steps, choices, thread, ordinal, name, places, why, is_together, asleep, foreseen };
        self.path.nodes[node].alternatives().pending.push(plan);
        Ok(())
    }

    /// The steps that make events take effect, some of them with other sources, if they can.
    pub(in crate::reads_from) fn steps_to(
        &mut self,
        members: Bits,
        changed: &[Changed],
    ) -> Result<Option<Box<[PlannedStep]>>, Halt> {
        let has_buffers = self.executor.machine.model.buffers_stores();
        let question = Question {
            events: &self.graph.events,
            members,
            changed,
            present: self.path.run.effects(),
            has_buffers,
        };
        match self.linearisation.answer(&question, self.graph.locations.len()) {
            Answer::Impossible => Ok(None),
            Answer::TooHard => Err(Halt::Beyond("orders hard to find")),
            Answer::Order(order) => Ok(Some(self.plan(&order, changed))),
        }
    }

    /// The steps that make events take effect in this order. An event that ended its thread is left out,
    /// unless it changes or is to be observed.
    fn plan(&self, order: &[Index], changed: &[Changed]) -> Box<[PlannedStep]> {
        let mut steps = Vec::with_capacity(order.len() + order.len() / 2);
        let mut issued: smallvec::SmallVec<[u32; 16]> =
            smallvec::SmallVec::from_elem(0, self.graph.threads.len());
        for index in order {
            let event = &self.graph.events[usize::from(*index)];
            let is_asked_for = |changed: &Changed| changed.event == *index || changed.source == *index;
            if event.end.is_some() && !changed.iter().any(is_asked_for) {
                continue;
            }
            let thread = event.thread;
            let issued = &mut issued[thread.index()];
            while *issued <= event.ordinal {
                steps.push(PlannedStep { thread, ordinal: *issued, commits: false });
                *issued += 1;
            }
            if event.is_buffered {
                steps.push(PlannedStep { thread, ordinal: event.ordinal, commits: true });
            }
        }
        steps.into_boxed_slice()
    }
}
