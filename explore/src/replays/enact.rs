//! Running a program so that the events of a symbolic trace happen in another order.

use crate::driver::Unpreempted;
use crate::replays::limits::{MOST_STEPS_AFTER, TURN};
use crate::replays::symbolic_replay;
use crate::{ExploreOptions, exit_checks};
use std::sync::Arc;
use symx_expr::StopToken;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::state::{End, State};
use symx_interp::symbolic_trace::{Happening, Synchronisation};
use symx_interp::tracing::{NotTraced, Traced};
use symx_trace::symbolic::{Operation, Taken, ThreadRef};
use symx_trace::{Agent, Decision, Failure, ThreadId, ThreadName};

/// The result of an order of events.
#[derive(Clone, Debug)]
pub struct Enacted {
    /// The steps that were taken.
    pub decisions: Vec<Decision>,
    /// Names of the threads by the numbers these use.
    pub threads: Vec<ThreadName>,
    /// How the execution ended; nothing if it did not within a bound.
    pub end: Option<End>,
    /// Instructions executed.
    pub instructions: u64,
    /// How many of the steps asked for were taken. After the first that was not possible, the execution
    /// continued by itself.
    pub followed: usize,
}

impl Enacted {
    /// The failure it ended in.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            Some(End::Failed(failure)) => Some(failure),
            _ => None,
        }
    }
}

/// Runs the program so that the events of `traced` happen in the order of `steps`, and then on without
/// preemption. The thread that failed goes first: its failure may be no event, and others could end the
/// process before it. Sites that threads share there count as visible. Steps that are no events of the trace
/// (that an object's life ends is none) come as late as they can. If nothing fails so, they come as early.
/// Symbolic inputs have the values of [`Options::assignment`](symx_interp::machine::Options::assignment). At
/// the `cutoff` the execution stays without an end.
pub fn enact<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    traced: &Traced,
    steps: &[Taken],
    options: &ExploreOptions,
    cutoff: &StopToken,
) -> Result<Enacted, NotTraced> {
    let mut executor = Executor::new(machine, solver);
    let (order, failed) = (Order { traced, steps, options, cutoff }, failed(traced));
    let late = enact_once(&mut executor, &order, Besides::Late, failed)?;
    if late.failure().is_some() || late.followed < steps.len() {
        return Ok(late);
    }
    let early = enact_once(&mut executor, &order, Besides::Early, failed)?;
    Ok(if early.failure().is_some() { early } else { late })
}

/// The same in search of an execution that does not fail. The steps after the trace's events of the thread
/// that failed in it come at once, or late, or early, whichever does not fail. `None` if all do, or none
/// terminates before the `cutoff`.
pub fn enact_passing<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    traced: &Traced,
    steps: &[Taken],
    options: &ExploreOptions,
    cutoff: &StopToken,
) -> Option<Enacted> {
    let mut executor = Executor::new(machine, solver);
    let order = Order { traced, steps, options, cutoff };
    let onwards = failed(traced).map(Besides::Onwards);
    onwards.into_iter().chain([Besides::Late, Besides::Early]).find_map(|besides| {
        let enacted = enact_once(&mut executor, &order, besides, None).ok()?;
        matches!(enacted.end, Some(End::Exit(_))).then_some(enacted)
    })
}

/// The thread that failed in the trace.
fn failed(traced: &Traced) -> Option<ThreadRef> {
    let name = &traced.trace.bug.failure.as_ref()?.thread;
    let thread = traced.trace.threads.iter().position(|thread| thread.name == *name)?;
    Some(ThreadRef(thread as u32))
}

/// When steps come that are no events of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Besides {
    /// As late as they can.
    Late,
    /// As early as they can.
    Early,
    /// Late, but this thread's steps after its events come as soon as these are over.
    Onwards(ThreadRef),
}

/// An order of a trace's events, and how the program is run in it.
struct Order<'o> {
    traced: &'o Traced,
    steps: &'o [Taken],
    options: &'o ExploreOptions,
    cutoff: &'o StopToken,
}

/// Once all steps were taken, `onwards` is the first to go on, else the thread that took the last one.
fn enact_once<E: Environment>(
    executor: &mut Executor<'_, E>,
    order: &Order<'_>,
    besides: Besides,
    onwards: Option<ThreadRef>,
) -> Result<Enacted, NotTraced> {
    let Order { traced, steps, options, cutoff } = *order;
    symbolic_replay::begin_trace(executor, Some(&traced.shared));
    if let Some(tracer) = &mut executor.notes.tracer {
        tracer.private = Arc::clone(&traced.private);
    }
    let state = executor.machine.initial_state();
    let instructions = executor.counters.instructions;
    let mut enactment =
        Enactment { executor, state, decisions: Vec::new(), running: ThreadId::MAIN, besides, cutoff };
    let mut followed = 0;
    for step in steps {
        let is_ended = enactment.state.end.is_some() || cutoff.reason().is_some();
        if is_ended || !enactment.follow(traced, *step)? {
            break;
        }
        followed += 1;
    }
    let onwards = onwards.filter(|_| followed == steps.len());
    if let Some(thread) = onwards.and_then(|thread| enactment.here(traced, thread)) {
        enactment.running = thread;
    }
    let is_over = enactment.finish()?;
    let Enactment { executor, state, decisions, .. } = enactment;
    let end = exit_checks::end_of(executor, &state, options).filter(|_| is_over);
    let threads = state.threads.iter().map(|thread| thread.name.clone()).collect();
    let instructions = executor.counters.instructions - instructions;
    Ok(Enacted { decisions, threads, end, instructions, followed })
}

struct Enactment<'e, 'm, E: Environment> {
    executor: &'e mut Executor<'m, E>,
    state: State<E>,
    decisions: Vec<Decision>,
    running: ThreadId,
    besides: Besides,
    cutoff: &'e StopToken,
}

impl<E: Environment> Enactment<'_, '_, E> {
    /// The thread of this execution that is one of the trace's.
    fn here(&self, traced: &Traced, thread: ThreadRef) -> Option<ThreadId> {
        let name = &traced.trace.threads[thread.0 as usize].name;
        self.state.threads.iter().find(|other| other.name == *name).map(|thread| thread.id)
    }

    /// Takes a step of the trace; `false` if it is not possible.
    fn follow(&mut self, traced: &Traced, step: Taken) -> Result<bool, NotTraced> {
        let (Taken::Event { thread: listed, index, .. } | Taken::Commit { thread: listed, index }) = step;
        let all = &traced.counted[listed.0 as usize];
        let thread = self.here(traced, listed);
        let is_followed = match (thread, all[index as usize], step) {
            // Events that only the trace has are no steps here.
            (_, None, _) => true,
            (None, ..) => false,
            (Some(thread), Some(counted), Taken::Commit { .. }) => return self.commit(thread, counted),
            (Some(thread), Some(counted), Taken::Event { wakes, .. }) => {
                let wakes = wakes.and_then(|woken| self.here(traced, woken));
                let is_reached = self.reach(thread, counted, wakes)?;
                let next = traced.trace.threads[listed.0 as usize].events.get(index as usize + 1);
                let elapses = next.is_some_and(|next| matches!(next.operation, Operation::WaitElapsed(_)));
                // In a trace, a wait that no signal ends is not in the queue.
                if is_reached && (elapses || self.besides == Besides::Early) {
                    self.go_on_to_next(thread, all)?;
                }
                is_reached
            }
        };
        let is_last = index as usize + 1 == all.len();
        if let Some(thread) = thread.filter(|_| is_last && self.besides == Besides::Onwards(listed)) {
            self.go_on_to_next(thread, &[])?;
        }
        Ok(is_followed)
    }

    fn count(&self, thread: ThreadId) -> usize {
        self.executor.notes.tracer.as_ref().map_or(0, |tracer| tracer.count(thread))
    }

    /// Runs a thread until its event with this number has happened.
    fn reach(
        &mut self,
        thread: ThreadId,
        counted: usize,
        wakes: Option<ThreadId>,
    ) -> Result<bool, NotTraced> {
        let agent = Agent::Thread(thread);
        while self.count(thread) <= counted {
            if self.state.end.is_some() || !self.executor.enabled(&self.state).contains(&agent) {
                return Ok(false);
            }
            let before =
                wakes.map(|_| (self.state.clone(), self.executor.notes.tracer.clone(), self.decisions.len()));
            let mut alternative = 0;
            self.step(agent, alternative)?;
            // The alternative that wakes the right sleeper.
            if let (Some((state, tracer, made)), Some(wakes)) = (before, wakes) {
                while let Some(woken) = self.woken(thread, counted)
                    && woken != wakes
                {
                    alternative += 1;
                    self.state = state.clone();
                    self.executor.notes.tracer = tracer.clone();
                    self.decisions.truncate(made);
                    if !self.step(agent, alternative)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Takes the steps of a thread before its next event that is one of those `listed`.
    fn go_on_to_next(&mut self, thread: ThreadId, listed: &[Option<usize>]) -> Result<(), NotTraced> {
        let agent = Agent::Thread(thread);
        let counted = self.count(thread);
        for _ in 0..TURN {
            if self.state.end.is_some() || !self.executor.enabled(&self.state).contains(&agent) {
                break;
            }
            let before = (self.state.clone(), self.executor.notes.tracer.clone(), self.decisions.len());
            self.step(agent, 0)?;
            if (counted..self.count(thread)).any(|number| listed.contains(&Some(number))) {
                let made;
                (self.state, self.executor.notes.tracer, made) = before;
                self.decisions.truncate(made);
                break;
            }
        }
        Ok(())
    }

    /// The thread that the event of a thread with this number has woken.
    fn woken(&self, thread: ThreadId, counted: usize) -> Option<ThreadId> {
        let followed = self.executor.notes.tracer.as_ref()?.threads.get(thread.index())?;
        match followed.events.get(counted)?.what {
            Happening::Synchronised(Synchronisation::Signal { woken, .. }) => woken,
            _ => None,
        }
    }

    /// Has the store that was the event of a thread with this number reach memory.
    fn commit(&mut self, thread: ThreadId, counted: usize) -> Result<bool, NotTraced> {
        let number = self.executor.notes.tracer.as_ref().and_then(|tracer| tracer.store(thread, counted));
        let Some(number) = number else {
            // It went to memory at once.
            return Ok(true);
        };
        let lanes = self.executor.enabled(&self.state);
        let lane = lanes.into_iter().find(|agent| {
            agent.is_buffer()
                && agent.thread() == thread
                && self.executor.next_commit(&self.state, *agent) == Some(number)
        });
        match lane {
            Some(lane) => self.step(lane, 0),
            None => Ok(false),
        }
    }

    /// One step; `false`, with nothing changed, if it has no such alternative.
    fn step(&mut self, agent: Agent, alternative: u32) -> Result<bool, NotTraced> {
        if let Agent::Thread(thread) = agent {
            self.running = thread;
        }
        let made = self.decisions.len();
        self.decisions.push(Decision::Run(agent));
        let (mut exists, mut first) = (true, true);
        let decisions = &mut self.decisions;
        let mut choose = |count: u32| {
            let wanted = if std::mem::take(&mut first) { alternative } else { 0 };
            exists &= wanted < count;
            let choice = if wanted < count { wanted } else { 0 };
            decisions.push(Decision::Choose(choice));
            choice
        };
        symbolic_replay::traced_step(self.executor, &mut self.state, agent, &mut choose)?;
        if !exists {
            self.decisions.truncate(made);
        }
        Ok(exists)
    }

    /// Continues without preemption; store buffers drain when no thread can run. `false` if the end does not
    /// come.
    fn finish(&mut self) -> Result<bool, NotTraced> {
        let mut turns = Unpreempted::turns_of(TURN);
        for _ in 0..MOST_STEPS_AFTER {
            if self.state.end.is_some() {
                return Ok(true);
            }
            if self.cutoff.reason().is_some() {
                return Ok(false);
            }
            let enabled = self.executor.enabled(&self.state);
            match turns.next(self.running, &enabled) {
                Some(next) => {
                    self.step(next, 0)?;
                }
                None => self.executor.stuck(&mut self.state),
            }
        }
        Ok(false)
    }
}
