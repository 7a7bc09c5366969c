//! Events that a plan comes to again. An event depends on its past alone. So events that keep theirs in the
//! other execution are there what they are here, but for the numbers they go by. Which events further up the
//! path could observe them, or take their place, has been asked already. They are noted with the plan, and
//! need not be looked at again.

use crate::reads_from::choice_points::plan::Foreseen;
use crate::reads_from::graph::event::Event;
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::limits::MOST_PREDICTED;
use crate::reads_from::linearisation::Changed;
use crate::reads_from::{Halt, PlannedStep, Walk};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_trace::ThreadId;

impl<E: Environment> Walk<'_, '_, E> {
    /// The events that these steps come to beside the first `base`, some of them with other sources; of which
    /// there are about `new`.
    pub(in crate::reads_from) fn foresee(
        &self,
        base: usize,
        new: usize,
        steps: &[PlannedStep],
        changed: &[Changed],
    ) -> Foreseen {
        let mut numbers: SmallVec<[Index; 64]> = SmallVec::from_elem(INITIAL, self.graph.events.len() - base);
        let mut foreseen = Foreseen::with_capacity(new.min(MOST_PREDICTED));
        for step in steps.iter().filter(|step| !step.commits) {
            let log = &self.graph.threads[step.thread.index()].events;
            let Some(index) = log.get(step.ordinal as usize).copied() else { break };
            let Some(at) = usize::from(index).checked_sub(base) else { continue };
            if foreseen.len() == MOST_PREDICTED {
                break;
            }
            numbers[at] = (base + foreseen.len()) as Index;
            let event = &self.graph.events[usize::from(index)];
            let stays = event.end.is_none() && changed.iter().all(|changed| changed.event != index);
            foreseen.push(if stays { event.renumbered(base, &numbers) } else { None });
        }
        foreseen
    }

    /// Whether an event noted with a plan is what the next step of its thread is.
    pub(in crate::reads_from) fn comes_now(
        &self,
        state: &State<E>,
        event: &Event,
        thread: ThreadId,
        ordinal: u32,
    ) -> bool {
        let is_unbuffered = state.thread(thread).buffer.is_empty();
        let is_known = |index: Index| index == INITIAL || usize::from(index) < self.graph.events.len();
        let has_sources = event.touches.iter().all(|touch| {
            let location = touch.location as usize;
            location < self.graph.locations.len()
                && is_known(touch.source)
                && (!touch.reads || !is_unbuffered || self.graph.last[location] == touch.source)
        });
        if (event.thread, event.ordinal) != (thread, ordinal) || !has_sources {
            return false;
        }
        let (mut past, name) = self.as_if(event, |touch| touch.source);
        past.insert(self.graph.events.len() as Index);
        (past, event.named(name)) == (event.past, event.name)
    }

    /// Makes an event noted with a plan, which has just happened, known to the events that may observe what
    /// comes later.
    pub(in crate::reads_from) fn enter_foreseen(&mut self, index: Index) -> Result<(), Halt> {
        self.note_return(index)?;
        self.find_lives_certain(index)?;
        self.list(index);
        Ok(())
    }
}

impl Event {
    /// The same event where those from `base` on go by other numbers, if all that it depends on has one.
    fn renumbered(&self, base: usize, numbers: &[Index]) -> Option<Self> {
        let mut event = self.clone();
        for touch in &mut event.touches {
            if let Some(at) = usize::from(touch.source).checked_sub(base)
                && touch.source != INITIAL
            {
                touch.source = numbers[at];
                if touch.source == INITIAL {
                    return None;
                }
            }
        }
        let renumbered = |bits: &Bits| bits.renumbered(base, numbers);
        event.past = renumbered(&self.past)?;
        event.before = renumbered(&self.before)?;
        event.ahead = renumbered(&self.ahead)?;
        event.undone = None;
        Some(event)
    }
}
