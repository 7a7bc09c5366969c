//! States kept along recorded executions. To reach a place in one of them, a replay begins at the nearest
//! state before it, and not at `main`.

use super::follow::{Lost, Path};
use super::sightings::Recorded;
use crate::races::limits::{MOST_KEPT_EXECUTIONS, MOST_KEPT_STATES, SPACING};
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_trace::Decision;

/// States along the executions that races were seen in. They are those of one machine.
pub struct KeptStates<E: Environment> {
    executions: Vec<Execution<E>>,
}

struct Execution<E: Environment> {
    /// Which one it is.
    decisions: Arc<Vec<Decision>>,
    spacing: usize,
    /// By position among the decisions, ascending.
    states: Vec<(usize, State<E>)>,
}

impl<E: Environment> Default for KeptStates<E> {
    fn default() -> Self {
        Self { executions: Vec::new() }
    }
}

impl<E: Environment> KeptStates<E> {
    /// Follows a recorded execution up to a position among its decisions.
    pub(super) fn follow(
        &mut self,
        executor: &mut Executor<'_, E>,
        recorded: &Recorded,
        to: usize,
    ) -> Result<(Path<E>, usize), Lost> {
        let execution = self.execution(recorded);
        let (mut next, state) = match execution.states.iter().rfind(|(position, _)| *position <= to) {
            Some((position, state)) => (*position, state.clone()),
            None => (0, executor.machine.initial_state()),
        };
        let made = recorded.decisions[..next].to_vec();
        let mut path = Path { state, made, inputs: Arc::clone(&recorded.inputs) };
        while next < to {
            next = path.replay(executor, &recorded.decisions, next)?;
            execution.pass(next, &path.state);
        }
        Ok((path, next))
    }

    fn execution(&mut self, recorded: &Recorded) -> &mut Execution<E> {
        let is_it = |known: &Execution<E>| Arc::ptr_eq(&known.decisions, &recorded.decisions);
        let at = self.executions.iter().position(is_it).unwrap_or_else(|| {
            if self.executions.len() == MOST_KEPT_EXECUTIONS {
                self.executions.remove(0);
            }
            let decisions = Arc::clone(&recorded.decisions);
            self.executions.push(Execution { decisions, spacing: SPACING, states: Vec::new() });
            self.executions.len() - 1
        });
        &mut self.executions[at]
    }
}

impl<E: Environment> Execution<E> {
    /// Keeps the state at a position if it is far enough after the last one kept.
    fn pass(&mut self, position: usize, state: &State<E>) {
        let last = self.states.last().map_or(0, |(position, _)| *position);
        if position < last + self.spacing {
            return;
        }
        self.states.push((position, state.clone()));
        if self.states.len() > MOST_KEPT_STATES {
            self.spacing *= 2;
            let mut number = 0;
            self.states.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
    }
}
