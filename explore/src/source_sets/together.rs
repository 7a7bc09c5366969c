//! The walk with source sets by several workers of one process, each of which explores stretches of it.
//!
//! A worker that has nothing to do makes another one end its stretch and divide what is left of it. What
//! follows from the results is decided in the order of the walk ([`Stretches`]), so which executions there
//! are does not depend on the workers. A stretch begins with the choices that lead to it, from the root.

use super::crew::{Crew, End, Leaving, Work};
use super::stretches::OpenStretches;
use crate::refinement::root::{Help, Root, WalkPosition};
use crate::refinement::workers::{Shared, Watch, work_together};
use crate::{Exploration, ExploreOptions, Found, Observer};
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::{Counters, Executor};
use symx_interp::memory::Site;
use symx_trace::Failure;

/// The walk restarts, having found these: it knows more. Or it cannot be divided. Then it goes by how
/// executions ended elsewhere, or what it tries at a choice point by what was tried there before.
pub(crate) struct Restart {
    pub failures: Vec<Found>,
    pub may_be_divided: bool,
}

/// Explores stretches until none is open, or what was looked for is found. If it is ended from outside, some
/// are left. `sites` are those known to be visible; more are added. Executions before are in `counted`.
pub(crate) fn explore_together<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    (open, counted): (OpenStretches, u64),
    options: &ExploreOptions,
    (observer, help): (&mut dyn Observer, Option<&Help<'_, 'm>>),
) -> Result<(Exploration, Option<WalkPosition<OpenStretches>>), Restart> {
    let (machine, known) = (executor.machine, &*sites);
    let learned = executor.learned.clone();
    let workers = help.map_or(1, |help| help.jobs);
    let crew = Crew::new((open, counted), workers, options, learned.clone());
    let watch = Watch::new(observer);
    let other = || -> Option<(Counters, Vec<Failure>)> {
        let _leaving = Leaving(&crew);
        let (first, solver) = (crew.next()?, help?.solver);
        let mut executor = options.executor(machine, solver());
        executor.learned.clone_from(&learned);
        let mut observer = Shared::new(&watch, &crew.executions);
        crew.explore(&mut executor, (known, root), Some(first), &mut observer);
        Some((executor.counters, executor.notes.misuse))
    };
    let first = || {
        let _leaving = Leaving(&crew);
        let mut observer = Shared::new(&watch, &crew.executions);
        crew.explore(executor, (known, root), None, &mut observer);
    };
    let ((), others) = work_together((workers, &machine.options.stop), other, |_| {}, first);
    let Work { walk, mut result, sites: found, learned, end, done, .. } = crew.into_work();
    for (counters, misuse) in others {
        executor.counters.add(counters);
        result.note_misuse(&misuse);
    }
    sites.extend(found);
    executor.learned.add(&learned);
    match end {
        Some(End::Learned | End::Undivided) => {
            Err(Restart { failures: result.failures, may_be_divided: end == Some(End::Learned) })
        }
        Some(End::Stopped { reason, restarts }) if restarts || !walk.open.is_empty() => {
            result.cut(reason.into());
            result.progress.done = done;
            let left = if restarts { WalkPosition::Beginning } else { WalkPosition::At(walk) };
            Ok((result, Some(left)))
        }
        Some(End::Found | End::Stopped { .. }) | None => Ok((result, None)),
    }
}
