//! Rounds of a loop that only looks. Such a round changes nothing. So the execution continues from before it,
//! and its thread waits until another step touches what it looks at.

use super::Search;
use super::past::{Look, Looks, Point, Turn};
use crate::recorded::limits::LONGEST_ROUND;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_trace::Mode;

impl<E: Environment> Point<E> {
    /// Notes the step that begins here.
    pub fn note_look(&mut self, turn: &Turn) {
        let is_look =
            !turn.agent.is_buffer() && turn.footprint.iter().all(|access| access.mode == Mode::Read);
        if !is_look || self.past.running != turn.agent.thread() {
            self.looks.clear();
        }
        if !is_look {
            return;
        }
        if self.looks.len() == LONGEST_ROUND {
            self.looks.remove(0);
        }
        self.looks.push(Arc::new(Look {
            state: self.state.clone(),
            past: self.past.clone(),
            footprint: turn.footprint.clone(),
            is_departure: turn.is_departure,
        }));
    }
}

impl<E: Environment> Search<'_, '_, E> {
    /// The point to continue from: before the last steps, if they were a round that only looked. None if all
    /// other ways are tried from there anyway.
    pub(super) fn without_round(&mut self, point: Point<E>) -> Option<Point<E>> {
        let thread = point.past.running;
        let begins =
            |look: &Arc<Look<E>>| self.executor.has_only_read_since(&look.state, &point.state, thread);
        let Some(first) = point.looks.iter().rposition(begins) else { return Some(point) };
        let begin = &point.looks[first];
        if begin.is_departure {
            return None;
        }
        let round = point.looks[first..].iter();
        let awaited = round.flat_map(|look| look.footprint.iter().copied()).collect();
        let mut past = begin.past.clone();
        past.deferred.retain(|(other, _)| *other != thread);
        past.deferred.push((thread, awaited));
        Some(Point { state: begin.state.clone(), past, looks: Looks::new() })
    }
}
