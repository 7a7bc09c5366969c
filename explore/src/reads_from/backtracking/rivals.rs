//! Rivals: operations on an object of which another one could come next.
//!
//! Of operations that all observe each other the one that comes next is the choice, as one that waits may
//! never come at all.

use crate::reads_from::backtracking::alternatives::CONTENDED_TWICE;
use crate::reads_from::graph::event::{Choice, Touch, Turn};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::linearisation::Changed;
use crate::reads_from::symmetry::Alternative;
use crate::reads_from::{Halt, Walk, Why};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::ThreadId;

impl<E: Environment> Walk<'_, '_, E> {
    /// Looks for choice points where an operation on an object could come instead of the one there.
    pub(in crate::reads_from) fn rivals_of(&mut self, index: Index, state: &State<E>) -> Result<(), Halt> {
        let turns: SmallVec<[Turn; 2]> = self.graph.events[usize::from(index)].turns().collect();
        if turns.is_empty() {
            return Ok(());
        }
        // Events that its thread depended on before can come after it in no execution.
        let previous = self.previous_of(&self.graph.events[usize::from(index)]);
        let earlier = previous.map(|event| self.graph.events[usize::from(event)].past).unwrap_or_default();
        for at in 0..self.path.nodes.len() {
            let node = &self.path.nodes[at];
            let present = &self.graph.events[usize::from(node.event)];
            if node.event != index && !earlier.has(node.event) && node.is_contended_by(&turns, present) {
                self.propose_rival(at, index, state)?;
            }
        }
        Ok(())
    }

    /// The operation `rival` comes instead of the one at `node`. Whatever it touches, it comes before all
    /// that depends on that one.
    fn propose_rival(&mut self, node: usize, rival: Index, state: &State<E>) -> Result<(), Halt> {
        let present = self.path.nodes[node].event;
        let before = |touch: &Touch| self.source_before(touch, present);
        let (past, name) = self.as_if(&self.graph.events[usize::from(rival)], before);
        if past.has(present)
            || self.path.nodes[node].alternatives().seen.contains(&name)
            || self.is_asleep(name, ..=node)
            || self.follows_replacement(node, &past, rival)
        {
            return Ok(());
        }
        let may_differ = |touch: &Touch| {
            let writes = self.graph.writes[touch.location as usize].iter().copied();
            let mut others =
                writes.chain([INITIAL]).filter(|write| *write != touch.source && *write != rival);
            touch.choice == Choice::Source
                && others.any(|write| !self.is_hidden(rival, touch.location, write))
        };
        if self.graph.events[usize::from(rival)].touches.iter().any(may_differ) {
            return Err(CONTENDED_TWICE);
        }
        let changed: SmallVec<[Changed; 2]> = self.graph.events[usize::from(rival)]
            .touches
            .iter()
            .filter(|touch| touch.reads && (touch.choice != Choice::Nothing || before(touch) != touch.source))
            .map(|touch| Changed {
                event: rival,
                location: touch.location,
                source: before(touch),
                writes: touch.choice == Choice::Next || touch.writes,
            })
            .collect();
        if !self.path.nodes[node].alternatives().seen.insert(name) {
            return Ok(());
        }
        let thread = self.graph.events[usize::from(rival)].thread;
        // It may wait for several objects, to which others come in any order; then a trial decides.
        if changed.len() == 1 && !self.could_come(present, thread, state) {
            return Ok(());
        }
        let mut members = self.known_before(self.path.nodes[node].base);
        members.union(&past);
        members.insert(rival);
        let alternative =
            Alternative { event: rival, location: None, changed: &changed, members: &members, name };
        if self.is_left_out(node, &alternative) {
            return Ok(());
        }
        self.ask(node, members, &changed, (rival, name, Why::Rival))
    }

    /// The source of an event at an object if it comes before `present` and all that depends on it.
    fn source_before(&self, touch: &Touch, present: Index) -> Index {
        let mut source = touch.source;
        while source != INITIAL
            && let event = &self.graph.events[usize::from(source)]
            && event.past.has(present)
            && let Some(earlier) = event.touch(touch.location)
            && earlier.reads
            && (earlier.choice == Choice::Next || self.graph.locations.is_share(touch.location))
        {
            source = earlier.source;
        }
        source
    }

    /// Whether a parked thread of `state` could take its step where `event` took its.
    fn could_come(&self, event: Index, thread: ThreadId, state: &State<E>) -> bool {
        let pending = state.thread(thread).pending.as_deref();
        let Some(wait) = pending.and_then(|pending| pending.action.wait()) else { return true };
        let step = self.path.run.iter().rev().find(|step| step.event == event);
        match step.and_then(|step| step.before.kept()) {
            Some(before) if before.threads.get(thread.index()).is_some_and(|thread| !thread.is_to_come) => {
                self.executor.machine.environment.ready(before, thread, wait)
            }
            _ => true,
        }
    }
}
