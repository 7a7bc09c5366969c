//! Several workers at one walk (work stealing). A worker that has nothing left to do goes on with an
//! alternative to which no other has come.
//!
//! A worker's path is its own, and so are its states. Alternatives still to be tried at the choice points on
//! it belong to all workers whose paths lead through them. A worker that is given an alternative gets a copy
//! of the giver's path up to there. Alternatives that it finds further up are tried by the first worker that
//! comes back there. Which executions there are does not depend on the workers that explore them.

use crate::reads_from::Start;
use crate::reads_from::choice_points::backtrack_point::Node;
use crate::reads_from::crew::{Alternative, Crew, Part, Task};
use crate::reads_from::limits::BETWEEN_COUNTS;
use crate::reads_from::{Halt, Plan, Walk};
use crate::refinement::root::{Help, Root};
use crate::refinement::workers::{BEFORE_GIVING, Shared, Watch, work_together};
use crate::{ExploreOptions, Found, Observer};
use std::sync::atomic::Ordering;
use symx_interp::caches::transitions::Taken;
use symx_interp::environment::Environment;
use symx_interp::machine::{Counters, Executor};

/// Ends the walk when a worker leaves, however it does.
struct Leaving<'c, E: Environment>(&'c Crew<E>);

impl<E: Environment> Drop for Leaving<'_, E> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Explores everything that follows a root with several workers, of which the executor's is one; or what an
/// earlier process left of it. `failures` are known.
pub(in crate::reads_from) fn explore_together<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    Start { root, position, patience, .. }: Start<'_, E>,
    failures: Vec<Found>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    help: &Help<'_, 'm>,
) -> Part {
    let crew = Crew::new(help.jobs, position);
    let watch = Watch::new(observer);
    let machine = executor.machine;
    let (visible, stops_at_fences) = (executor.visible.clone(), executor.stops_at_fences);
    let learned = executor.learned.clone();
    let other = || -> Option<(Part, Counters)> {
        let _leaving = Leaving(&crew);
        let first = crew.next()?;
        let mut executor = options.executor(machine, (help.solver)());
        executor.visible.clone_from(&visible);
        executor.stops_at_fences = stops_at_fences;
        executor.learned.clone_from(&learned);
        let mut observer = Shared::new(&watch, &crew.executions);
        let mut walk = Walk::new(&mut executor, options, &mut observer, Some(&crew));
        walk.patience = patience;
        let halt = walk.help(root, Some(first)).err();
        let mut part = walk.into_part(halt);
        part.result.note_misuse(&executor.notes.misuse);
        Some((part, executor.counters))
    };
    let first = || {
        let _leaving = Leaving(&crew);
        let mut observer = Shared::new(&watch, &crew.executions);
        let mut walk = Walk::new(executor, options, &mut observer, Some(&crew));
        walk.patience = patience;
        walk.found.result.failures = failures;
        let begun = match position {
            Some(position) => {
                walk.found.unfinished = position.unfinished();
                walk.found.gathered = position.gathered();
                Ok(())
            }
            None => walk.explore(root),
        };
        let halt = begun.and_then(|()| walk.help(root, None)).err();
        walk.into_part(halt)
    };
    let lack = |workers| crew.lack(workers);
    let (mut part, others) = work_together((help.jobs, &machine.options.stop), other, lack, first);
    for (other, counters) in others {
        executor.counters.add(counters);
        part.add(other);
    }
    if !options.keep_going {
        keep_first(&mut part, options);
    }
    part.executed = crew.executed();
    part.paths.append(&mut crew.left());
    part
}

/// Leaves out all failures that count but one: two workers may have found one each.
fn keep_first(part: &mut Part, options: &ExploreOptions) {
    let mut counted = 0;
    part.result.failures.retain(|found| {
        counted += u32::from(options.counted.counts(&found.failure));
        counted <= 1
    });
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Explores what others give away until none has anything left.
    fn help(&mut self, root: &Root<E>, mut task: Option<Task<E>>) -> Result<(), Halt> {
        let Some(crew) = self.crew else { return Ok(()) };
        while let Some(task) = task.take().or_else(|| crew.next()) {
            match task {
                Task::Alternative(given) => {
                    let plan = self.install(*given);
                    let thread = plan.thread;
                    let next = self.turn(plan)?;
                    self.exhaust(next, thread)?;
                }
                Task::Path(path) => self.go_on(root, path)?,
            }
        }
        Ok(())
    }

    /// Adds executions to the common count, if there are many that it lacks or `all` are to be reported.
    pub(in crate::reads_from) fn tell_count(&mut self, all: bool) {
        let unreported = self.found.result.progress.executions - self.counts.reported;
        if let Some(crew) = self.crew
            && (all || unreported >= BETWEEN_COUNTS)
        {
            crew.executions.fetch_add(unreported, Ordering::Relaxed);
            self.counts.reported += unreported;
        }
    }

    /// Gives an alternative to a worker that has none, the one furthest up: most follows it.
    pub(in crate::reads_from) fn share(&mut self) {
        let Some(crew) = self.crew else { return };
        let progress = &self.found.result.progress;
        if crew.hungry.load(Ordering::Relaxed) == 0 || progress.executions + progress.blocked < BEFORE_GIVING
        {
            return;
        }
        let mut open = (0..self.path.nodes.len()).filter(|at| self.path.nodes[*at].has_pending());
        let (Some(first), Some(_)) = (open.next(), open.next()) else { return };
        let Some(plan) = self.path.nodes[first].alternatives().take(self.executed()) else { return };
        crew.give(Task::Alternative(Box::new(Alternative {
            locations: self.graph.locations.clone(),
            events: self.graph.events.clone(),
            threads: self.graph.threads.clone(),
            writes: self.graph.writes.clone(),
            life_ends: self.graph.life_ends.clone(),
            last: self.graph.last.clone(),
            starts: self.graph.starts.clone(),
            use_of: self.graph.use_of.clone(),
            run: self.path.run.clone(),
            reached: self.path.reached.clone(),
            nodes: self.path.nodes[..=first].iter_mut().map(Node::share).collect(),
            decisions: self.path.decisions.clone(),
            phases: self.graph.phases.clone(),
            creator: self.creations.creator,
            plan,
        })));
    }

    fn install(&mut self, task: Alternative<E>) -> Plan {
        self.graph.locations = task.locations;
        self.path.last_end = None;
        self.path.reached = task.reached;
        self.graph.has_commuting = task.events.iter().any(|event| event.commuting.is_some());
        self.graph.events = task.events;
        self.graph.threads = task.threads;
        self.graph.taken = Taken::default();
        self.graph.writes = task.writes;
        self.graph.life_ends = task.life_ends;
        self.graph.last = task.last;
        self.graph.starts = task.starts;
        self.graph.use_of = task.use_of;
        self.path.run = task.run;
        self.path.nodes = task.nodes;
        self.path.decisions = task.decisions;
        self.graph.phases = task.phases;
        self.creations.creator = task.creator;
        task.plan
    }
}
