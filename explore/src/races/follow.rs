//! Following decisions step by step; symbolic values go the way that a solution of the inputs says.

use crate::driver::{self, Decider, Obstacle};
use std::sync::Arc;
use symx_expr::{Assignment, Evaluator, Term};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_trace::{Agent, Decision};

/// Why an execution cannot be followed.
pub(super) type Lost = String;

/// An execution under way.
pub(super) struct Path<E: Environment> {
    pub state: State<E>,
    pub made: Vec<Decision>,
    /// Values of the inputs.
    pub inputs: Arc<Assignment>,
}

impl<E: Environment> Clone for Path<E> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), made: self.made.clone(), inputs: Arc::clone(&self.inputs) }
    }
}

impl<E: Environment> Path<E> {
    /// Lets an agent that can do so take its step; `choose` picks among a step's alternatives.
    pub fn take(
        &mut self,
        executor: &mut Executor<'_, E>,
        agent: Agent,
        choose: &mut dyn FnMut(u32) -> u32,
    ) -> Result<(), Lost> {
        self.made.push(Decision::Run(agent));
        let Self { state, made, inputs } = self;
        match driver::whole_step(executor, state, agent, &mut ByInputs { made, inputs, choose }) {
            Ok(_) => Ok(()),
            Err(Obstacle::NoWay) => {
                Err("inputs beyond those of the recorded execution decide a branch".into())
            }
            Err(obstacle) => Err(obstacle.to_string()),
        }
    }

    /// Takes the step that begins at `position` of the decisions, exactly; the position after it.
    pub fn replay(
        &mut self,
        executor: &mut Executor<'_, E>,
        decisions: &[Decision],
        position: usize,
    ) -> Result<usize, Lost> {
        let Some(Decision::Run(agent)) = decisions.get(position) else {
            return Err(format!("decision {position} is no step"));
        };
        if !executor.enabled(&self.state).contains(agent) {
            return Err(format!("decision {position} cannot be followed"));
        }
        let mut next = position + 1;
        self.take(executor, *agent, &mut |_| match decisions.get(next) {
            Some(Decision::Choose(choice)) => {
                next += 1;
                *choice
            }
            _ => 0,
        })?;
        Ok(next)
    }
}

/// Symbolic values go the way that a solution of the inputs says.
struct ByInputs<'p> {
    made: &'p mut Vec<Decision>,
    inputs: &'p Assignment,
    choose: &'p mut dyn FnMut(u32) -> u32,
}

impl<E: Environment> Decider<E> for ByInputs<'_> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        let choice = (self.choose)(count).min(count - 1);
        self.made.push(Decision::Choose(choice));
        Some(choice)
    }

    fn branch(
        &mut self,
        executor: &mut Executor<'_, E>,
        _: &State<E>,
        _: Agent,
        ways: &[Term],
    ) -> Option<Term> {
        let mut evaluator = Evaluator::new(&executor.machine.terms, self.inputs);
        ways.iter().copied().find(|way| evaluator.is_true(*way))
    }
}
