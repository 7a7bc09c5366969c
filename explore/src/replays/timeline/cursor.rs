//! A place in an execution that goes forwards and backwards to what is looked for.

use super::{Position, Timeline, TimelineError};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::paths::halts::{Arrival, Pattern};
use symx_interp::state::State;
use symx_trace::Agent;

/// The present place of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Before a step by this agent.
    Before(Agent),
    /// In the middle of a step.
    Within(Arrival),
    /// After a step by this agent.
    Behind(Agent),
}

/// Whether a place is what is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// It is not.
    No,
    /// It is.
    Here,
    /// The one that was looked at before it is.
    Previous,
}

/// Something to look for in an execution.
pub trait Look<E: Environment> {
    /// Which instructions within a step are looked at; `None` for its beginning and its end alone.
    fn within_step(
        &mut self,
        executor: &Executor<'_, E>,
        before: &State<E>,
        after: &State<E>,
        agent: Agent,
    ) -> Option<Pattern>;

    /// Looks at a place. Places of one step come in their order.
    fn at(&mut self, executor: &Executor<'_, E>, state: &State<E>, place: Place, position: Position) -> Hit;

    /// Whether to stop before the next step.
    fn is_stopped(&mut self) -> bool {
        false
    }
}

/// The result of a search in one step.
struct Found {
    first: Option<Position>,
    last: Option<Position>,
}

/// A place in an execution, and the state there.
pub struct Cursor<'m, E: Environment> {
    timeline: Timeline<'m, E>,
    position: Position,
    state: State<E>,
}

impl<'m, E: Environment> Cursor<'m, E> {
    /// At the beginning.
    pub fn new(mut timeline: Timeline<'m, E>) -> Result<Self, TimelineError> {
        let state = timeline.before(0)?;
        Ok(Self { timeline, position: Position::default(), state })
    }

    /// The execution.
    pub fn timeline(&self) -> &Timeline<'m, E> {
        &self.timeline
    }

    /// Where it is.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The state there.
    pub fn state(&self) -> &State<E> {
        &self.state
    }

    /// The executor, for looking at the state.
    pub fn executor(&self) -> &Executor<'m, E> {
        self.timeline.executor()
    }

    /// Whether it is after the last step.
    pub fn is_at_end(&self) -> bool {
        self.position == self.timeline.end()
    }

    /// Goes to a place. If there is none, it stays.
    pub fn go_to(&mut self, position: Position) -> Result<(), TimelineError> {
        self.state = self.timeline.state(position)?;
        self.position = position;
        Ok(())
    }

    /// Goes to the next place that is looked for, or to the end. Whether it is there.
    pub fn forwards(&mut self, look: &mut dyn Look<E>) -> Result<bool, TimelineError> {
        let mut from = self.position;
        while from < self.timeline.end() && !look.is_stopped() {
            if let Some(position) = self.search(from.step, Some(from), None, look)?.first {
                self.go_to(position)?;
                return Ok(true);
            }
            from = Position::before(from.step + 1);
        }
        self.go_to(from)?;
        Ok(false)
    }

    /// Goes to the last place before this one that is looked for, or to the beginning. Whether it is there.
    pub fn backwards(&mut self, look: &mut dyn Look<E>) -> Result<bool, TimelineError> {
        let until = self.position;
        let mut step = if until.within == 0 { until.step.saturating_sub(1) } else { until.step };
        loop {
            if step < self.timeline.steps()
                && let Some(position) = self.search(step, None, Some(until), look)?.last
            {
                self.go_to(position)?;
                return Ok(true);
            }
            if step == 0 || look.is_stopped() {
                self.go_to(Position::before(step))?;
                return Ok(false);
            }
            step -= 1;
        }
    }

    /// Looks at all places of one step: for the first that is a hit after `after`, or the last before
    /// `until`.
    fn search(
        &mut self,
        step: usize,
        after: Option<Position>,
        until: Option<Position>,
        look: &mut dyn Look<E>,
    ) -> Result<Found, TimelineError> {
        let timeline = &mut self.timeline;
        let agent = timeline.agent(step).ok_or(TimelineError::NoPlace)?;
        let (before, behind) = (timeline.before(step)?, timeline.before(step + 1)?);
        let pattern = look.within_step(timeline.executor(), &before, &behind, agent);
        let begun = before.thread(agent.thread()).instructions;
        let mut found = Found { first: None, last: None };
        let mut previous = Position::before(step);
        let mut note = |hit: Hit, position: Position| {
            let hit = match hit {
                Hit::No => None,
                Hit::Here => Some(position),
                Hit::Previous => Some(previous),
            };
            previous = position;
            let hit = hit.filter(|hit| after.is_none_or(|after| *hit > after));
            if let Some(hit) = hit.filter(|hit| until.is_none_or(|until| *hit < until)) {
                found.first = found.first.or(Some(hit));
                found.last = Some(hit);
            }
            after.is_some() && found.first.is_some()
        };
        let hit = look.at(timeline.executor(), &before, Place::Before(agent), Position::before(step));
        if note(hit, Position::before(step)) {
            return Ok(found);
        }
        let mut is_over = false;
        if let Some(pattern) = pattern {
            timeline.walk(step, pattern, &mut |executor, state, arrival| {
                let position = Position { step, within: arrival.executed - begun + 1 };
                // Nothing after a place is looked for before it, but the next events may show it.
                let hit = look.at(executor, state, Place::Within(*arrival), position);
                is_over = note(hit, position) || until.is_some_and(|until| position >= until);
                is_over
            })?;
        }
        if !is_over {
            let position = Position::before(step + 1);
            let hit = look.at(timeline.executor(), &behind, Place::Behind(agent), position);
            note(hit, position);
        }
        Ok(found)
    }
}
