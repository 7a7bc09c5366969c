//! A symbolic trace as a problem of synthesis.

use std::sync::Arc;
use symx_checkers::synthesis::{Problem, moves_of, validate};
use symx_expr::Terms;
use symx_interp::tracing::Traced;
use symx_memmodel::MemoryModel;

/// A trace laid out under a memory model; why it cannot be.
pub fn problem_of(traced: &Traced, model: &'static dyn MemoryModel) -> Result<Problem, String> {
    Problem::new(Arc::new(Terms::new()), traced.trace.clone(), model).map_err(|why| why.to_string())
}

/// Whether the trace describes the very execution it was made of; why it does not.
pub fn describes_itself(problem: &Problem, traced: &Traced) -> Result<(), String> {
    let inputs = problem.recorded_inputs();
    let moves = moves_of(problem, &traced.order, &inputs).map_err(|why| why.to_string())?;
    validate(problem, &moves, &inputs).map(|_| ()).map_err(|why| why.to_string())
}
