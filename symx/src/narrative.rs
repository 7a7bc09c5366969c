//! What a replay alone says about a failure: every step of it, and no cause yet.

use crate::session::Session;
use symx_interp::explore::Replayed;
use symx_trace::Explanation;
use symx_trace::explanation::{Cause, Difference, VERSION};

/// An explanation that tells what happened and leaves open why. Its failing steps are the events of the replay's trace.
pub fn narrative(session: &Session, replayed: &Replayed) -> Explanation {
    Explanation {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        memory_model: session.memory_model.name().into(),
        failing: replayed.execution.clone(),
        alternate: None,
        difference: Difference::default(),
        cause: Cause::default(),
        remedies: Vec::new(),
        limits: Vec::new(),
    }
}
