//! An explanation by a replay alone: every step of a failure, and no cause yet.

use crate::session::Session;
use symx_trace::explanation::{Cause, Dependence, Difference, Execution, VERSION};
use symx_trace::{Explanation, Input};

/// An explanation that reports what happened and leaves open why.
pub fn narrative(session: &Session, failing: Execution, inputs: &[Input]) -> Explanation {
    Explanation {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        memory_model: session.memory_model.name().into(),
        failing,
        passing: None,
        difference: Difference::default(),
        cause: Cause::default(),
        dependence: Dependence::Order,
        remedies: Vec::new(),
        branches: Vec::new(),
        limits: Vec::new(),
        inputs: inputs.to_vec(),
    }
}
