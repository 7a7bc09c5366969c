//! What every way of exploring does with one execution: recording decisions, collecting results.

use super::{Exploration, Found, Observer};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Site;
use crate::state::{End, State};
use crate::stop::Incomplete;
use std::sync::Arc;
use symx_expr::{Assignment, evaluate};
use symx_trace::{Decision, Failure, Input};

impl<E: Environment> Executor<'_, E> {
    /// Inputs under which the execution takes the path it took.
    pub(crate) fn inputs(&mut self, state: &State<E>) -> Result<Vec<Input>, String> {
        let terms = &self.machine.terms;
        let given = self.machine.options.assignment.clone();
        let model = match given {
            Some(assignment) => assignment,
            None if state.inputs.is_empty() => Arc::new(Assignment::new()),
            None => self.queries.model(&state.path).map_err(|reason| reason.to_string())?,
        };
        let bytes = |symbols: &[symx_expr::Term]| {
            symbols.iter().map(|symbol| evaluate(terms, *symbol, &model).limbs()[0] as u8).collect()
        };
        Ok(state
            .inputs
            .iter()
            .map(|input| Input { name: input.name.to_string(), bytes: bytes(&input.bytes) })
            .collect())
    }

    /// The allocation sites that count as visible, ascending; `None` if threads change at synchronisation only.
    pub(crate) fn visible_sites(&self) -> Option<Vec<Site>> {
        let mut sites: Vec<Site> = self.visible.as_ref()?.iter().copied().collect();
        sites.sort_unstable();
        Some(sites)
    }

    /// A failure with the way to see it again.
    pub(crate) fn found(
        &mut self,
        state: &State<E>,
        failure: &Failure,
        decisions: &[Decision],
    ) -> Result<Found, Incomplete> {
        let inputs = self.inputs(state).map_err(|what| Incomplete {
            reason: "solver-unknown",
            what,
            span: symx_ir::SpanId::UNKNOWN,
        })?;
        Ok(Found {
            failure: failure.clone(),
            decisions: decisions.to_vec(),
            inputs,
            threads: state.threads.iter().map(|thread| thread.name.clone()).collect(),
            visible: self.visible_sites(),
        })
    }

    /// Adds the result of an execution that has ended. Returns whether exploration should go on.
    pub(crate) fn collect(
        &mut self,
        state: &State<E>,
        decisions: &[Decision],
        exploration: &mut Exploration,
        observer: &mut dyn Observer,
        options: &super::ExploreOptions,
    ) -> bool {
        exploration.progress.executions += 1;
        let threads = state.threads.len() as u32;
        exploration.progress.threads = exploration.progress.threads.max(threads);
        let failure = match &state.end {
            Some(End::Failed(failure)) => Some(Arc::clone(failure)),
            Some(End::Exit(status)) => {
                let failure = super::at_exit::check(self, state, *status, options).map(Arc::new);
                if failure.is_none() {
                    let output = self.machine.environment.standard_output(&state.data);
                    observer.execution(&output, *status);
                    *exploration.outcomes.entry((output, *status)).or_default() += 1;
                }
                failure
            }
            None => None,
        };
        let Some(failure) = failure else { return true };
        if let Some(guide) = &self.machine.options.guide
            && !guide.accepts(state, &failure)
        {
            return true;
        }
        if exploration.failures.iter().any(|found| found.failure.same_fault(&failure)) {
            return true;
        }
        match self.found(state, &failure, decisions) {
            Ok(found) => {
                exploration.failures.push(found);
                options.keep_going
            }
            Err(incomplete) => {
                exploration.cut(incomplete);
                true
            }
        }
    }
}
