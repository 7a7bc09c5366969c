//! Following decisions step by step; symbolic values go the way that a solution of the inputs says.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::threads::agents::Step;
use std::sync::Arc;
use symx_expr::{Assignment, Evaluator};
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
        let mut step = executor.step(&mut self.state, agent);
        loop {
            step = match step {
                Step::Done | Step::Paused => return Ok(()),
                Step::Fork { ways, granted } => {
                    let terms = &executor.machine.terms;
                    let mut evaluator = Evaluator::new(terms, &self.inputs);
                    let fits = ways.iter().copied().find(|way| evaluator.is_true(*way));
                    let way = fits.ok_or("inputs beyond those of the recorded execution decide a branch")?;
                    self.state.path.add(terms, way);
                    executor.resume(&mut self.state, agent.thread(), granted)
                }
                Step::Choose(count) => {
                    let choice = choose(count).min(count - 1);
                    self.made.push(Decision::Choose(choice));
                    self.state.alternative = Some(choice);
                    executor.resume(&mut self.state, agent.thread(), true)
                }
                Step::Pruned => return Err("an assumption does not hold".into()),
                Step::Halted(reason) => return Err(reason.to_string()),
                Step::Cut(cut) => return Err(format!("{} {}", cut.reason, cut.what)),
            };
        }
    }

    /// Takes the step that begins at `position` of the decisions, exactly; the position behind it.
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
