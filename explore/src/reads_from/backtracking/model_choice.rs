//! Alternatives that a model leaves to the schedule, such as which of several sleepers a signal wakes.
//!
//! The alternatives depend on the past of the event alone, and all that depends on the event depends on which
//! was taken. So that is part of its name, and every other one is an alternative of its choice point. An
//! event on the way to an alternative of another choice point takes there what it took here. With another
//! choice it is another event, which asks for itself.

use crate::reads_from::choice_points::plan::{Foreseen, PlannedChoice};
use crate::reads_from::graph::event::{Event, Name, Taken};
use crate::reads_from::graph::index::Index;
use crate::reads_from::{Halt, Node, Plan, PlannedStep, Walk, Why};
use symx_interp::environment::Environment;

impl Event {
    /// Its name, given that which it has whatever it chooses.
    pub(in crate::reads_from) fn named(&self, name: Name) -> Name {
        self.alternative.map_or(name, |taken| name.choosing(taken.choice))
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// The step of an event begins.
    pub(in crate::reads_from) fn begin_choice(&mut self, index: Index) {
        let event = &self.graph.events[usize::from(index)];
        let is_it =
            |planned: &&PlannedChoice| (planned.thread, planned.ordinal) == (event.thread, event.ordinal);
        let planned = || self.choosing.planned.iter().find(is_it).map_or(0, |planned| planned.choice);
        let wanted = event.alternative.map_or_else(planned, |taken| taken.choice);
        (self.choosing.wanted, self.choosing.taken) = (Some(wanted), None);
    }

    /// The alternative to take, out of `count`.
    pub(in crate::reads_from) fn choose(&mut self, count: u32) -> Result<u32, Halt> {
        if self.options.symmetry {
            return Err(Halt::Beyond("a choice of a model's among identical threads"));
        }
        match self.choosing.wanted.take() {
            Some(choice) if choice < count => {
                self.choosing.taken = Some(Taken { choice, of: count });
                self.choosing.has_taken = true;
                Ok(choice)
            }
            Some(_) => Err(Halt::Contradiction("other alternatives")),
            None => Err(Halt::Beyond("a choice of a model's that is no event's only one")),
        }
    }

    /// The step of an event, which may be new, has been taken.
    pub(in crate::reads_from) fn end_choice(&mut self, index: Index, is_new: bool) -> Result<(), Halt> {
        self.choosing.wanted = None;
        let taken = self.choosing.taken.take();
        let event = &mut self.graph.events[usize::from(index)];
        if is_new && let Some(taken) = taken {
            event.name = event.name.choosing(taken.choice);
            event.alternative = Some(taken);
        }
        match event.alternative == taken {
            true => Ok(()),
            false => Err(Halt::Contradiction("another choice")),
        }
    }

    /// The name that an event has whatever it chooses.
    pub(in crate::reads_from) fn name_before_choice(&self, event: &Event) -> Name {
        match event.alternative {
            None => event.name,
            Some(_) => self.as_if(event, |touch| touch.source).1,
        }
    }

    /// The choices of events on the way to an alternative, without events that are different there.
    pub(in crate::reads_from) fn planned_choices(
        &self,
        members: impl Iterator<Item = Index>,
        is_other: impl Fn(Index) -> bool,
    ) -> Box<[PlannedChoice]> {
        if !self.choosing.has_taken {
            return Box::default();
        }
        let planned = |index: Index| {
            let Event { thread, ordinal, alternative, .. } = self.graph.events[usize::from(index)];
            let Taken { choice, .. } = alternative.filter(|_| !is_other(index))?;
            Some(PlannedChoice { thread, ordinal, choice })
        };
        members.filter_map(planned).collect()
    }

    /// Every other choice of the event at a choice point is an alternative, to which `steps` lead as well.
    pub(in crate::reads_from) fn propose_choices(
        &self,
        node: &Node,
        steps: impl FnOnce() -> Box<[PlannedStep]>,
    ) {
        let event = &self.graph.events[usize::from(node.event)];
        let Some(taken) = event.alternative else { return };
        let (thread, ordinal) = (event.thread, event.ordinal);
        let (name, steps) = (self.name_before_choice(event), steps());
        let others =
            self.choosing.planned.iter().filter(|other| (other.thread, other.ordinal) != (thread, ordinal));
        let mut alternatives = node.alternatives();
        for choice in (0..taken.of).rev() {
            let name = name.choosing(choice);
            if choice == taken.choice || !alternatives.seen.insert(name) {
                continue;
            }
            let own = PlannedChoice { thread, ordinal, choice };
            let choices = others.clone().copied().chain([own]).collect();
            let (why, foreseen) = (Why::Choice, Foreseen::new());
            alternatives.pending.push(Plan {
                steps: steps.clone(),
                choices,
                thread,
                ordinal,
                name,
                places: None,
                why,
                is_together: false,
                asleep: Vec::new(),
                foreseen,
            });
        }
    }

    /// The steps of the run so far, and that of the event `index` after them.
    pub(in crate::reads_from) fn steps_so_far(&self, index: Index) -> Box<[PlannedStep]> {
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(index)];
        let others = self.path.run.iter().filter(|step| step.event != index);
        let step = |thread, ordinal, commits| PlannedStep { thread, ordinal, commits };
        let taken = others.map(|other| step(other.thread, other.ordinal, other.commits));
        taken.chain([step(thread, ordinal, false)]).collect()
    }
}
