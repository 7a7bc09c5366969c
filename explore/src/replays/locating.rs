//! A schedule's execution as a native run can repeat it. For each step it has the instruction of the
//! program's own bitcode that takes it, and how many times that was reached.

use crate::driver::{self, Reached};
use crate::replays::schedule::{FixedSchedule, ScheduleCursor};
use crate::state_graph::endless::find_livelock;
use crate::{ExploreOptions, exit_checks};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine, Sites};
use symx_interp::memory::Site;
use symx_interp::paths::census::{Census, Instruction, InstructionInstance, InstructionMap, SilentAccess};
use symx_interp::state::{End, State};
use symx_interp::threads::modelled::Role;
use symx_trace::{Agent, Decision, EventKind, Failure, Footprint, Location, Mode, ThreadId, ThreadName};

/// A visible step.
#[derive(Clone, Debug)]
pub struct LocatedStep {
    /// The agent that takes it.
    pub agent: Agent,
    /// The kind.
    pub kind: EventKind,
    /// The role of the modelled function, if it is a call.
    pub role: Role,
    /// The instruction at which the thread is then; `None` outside the program's own code.
    pub instance: Option<InstructionInstance>,
    /// The result of the modelled function in this step, if one returned.
    pub returned: Option<u64>,
    /// Its footprint.
    pub footprint: Footprint,
    /// Where in the source.
    pub location: Location,
    /// How many threads there are after it.
    pub threads: usize,
}

/// The position of a thread that has not ended.
#[derive(Clone, Debug)]
pub struct Remaining {
    /// The thread.
    pub thread: ThreadId,
    /// The kind of its pending step, if it is parked.
    pub kind: Option<EventKind>,
    /// The instruction at which it is.
    pub instance: Option<InstructionInstance>,
    /// Where in the source.
    pub location: Location,
}

/// An execution, step by step.
#[derive(Clone, Debug)]
pub struct Located {
    /// Its steps.
    pub steps: Vec<LocatedStep>,
    /// Threads that had not ended when it did.
    pub remaining: Vec<Remaining>,
    /// Names of the threads, by number.
    pub threads: Vec<ThreadName>,
    /// How it ended.
    pub end: End,
}

/// Runs the program under these decisions, which were replayed on `plain` before, and says where threads
/// are at each step. `machine` must be the same one, but [watch
/// edges](symx_interp::machine::Options::watches_edges). `solvers` makes a solver for each of the runs that
/// takes. The error says why the decisions do not fit.
pub fn locate<E: Environment>(
    plain: &Machine<E>,
    machine: &Machine<E>,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    map: Arc<InstructionMap>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> Result<Located, String> {
    let FixedSchedule { visible, decisions, expected } = schedule;
    let visible: Sites = Arc::new(visible.unwrap_or(&[]).iter().copied().collect());
    let mut replaying = Executor::new(plain, solvers());
    replaying.visible = Some(Arc::clone(&visible));
    let pauses = pauses(&mut replaying, decisions)?;
    let mut counted: FxHashSet<Instruction> = FxHashSet::default();
    let mut silent: FxHashSet<Site> = FxHashSet::default();
    // Only instructions at which steps are taken need counting, and a first run shows which those are. It
    // also shows what threads share though it did not count as visible.
    loop {
        let mut executor = Executor::new(machine, solvers());
        executor.visible = Some(Arc::clone(&visible));
        executor.notes.coverage = None;
        let census = Census::new(&machine.program, Arc::clone(&map), &counted, silent.clone());
        executor.notes.census = Some(Box::new(census));
        let mut discovered = Vec::new();
        let located = run(&mut executor, decisions, &pauses, expected, options, &mut discovered)?;
        let instances = located.steps.iter().filter_map(|step| step.instance);
        let instances = instances.chain(located.remaining.iter().filter_map(|remaining| remaining.instance));
        let before = (counted.len(), silent.len());
        counted.extend(instances.map(|instance| instance.instruction));
        silent.extend(discovered);
        if (counted.len(), silent.len()) == before {
            return Ok(located);
        }
    }
}

/// The decisions whose steps stopped in the middle of a thread's code, for having run for long. Where that is
/// depends on how instructions are executed, so they are distinguished from others once.
fn pauses<E: Environment>(
    executor: &mut Executor<'_, E>,
    decisions: &[Decision],
) -> Result<FxHashSet<usize>, String> {
    let mut state = executor.machine.initial_state();
    let mut pauses = FxHashSet::default();
    let mut schedule = ScheduleCursor::new(decisions);
    while state.end.is_none() {
        let decision = schedule.position();
        let Some(agent) = schedule.next_agent(&executor.enabled(&state))? else { break };
        if take(executor, &mut state, agent, &mut schedule)? == Reached::Pause {
            pauses.insert(decision);
        }
    }
    Ok(pauses)
}

fn run<E: Environment>(
    executor: &mut Executor<'_, E>,
    decisions: &[Decision],
    pauses: &FxHashSet<usize>,
    expected: Option<&Failure>,
    options: &ExploreOptions,
    discovered: &mut Vec<Site>,
) -> Result<Located, String> {
    let mut state = executor.machine.initial_state();
    let mut steps = Vec::new();
    let mut schedule = ScheduleCursor::new(decisions);
    // Threads that paused when the schedule was replayed go on by a further decision.
    let mut paused: FxHashSet<ThreadId> = FxHashSet::default();
    while state.end.is_none() {
        let decision = schedule.position();
        if let Some(Decision::Run(Agent::Thread(thread))) = schedule.peek()
            && paused.contains(&thread)
            && (state.thread(thread).pending.is_some() || state.thread(thread).exited)
        {
            if !pauses.contains(&decision) {
                paused.remove(&thread);
            }
            schedule.skip();
            continue;
        }
        let Some(agent) = schedule.next_agent(&executor.enabled(&state))? else { break };
        let thread = state.thread(agent.thread());
        let is_step = agent.is_buffer() || thread.pending.is_some() && !thread.is_about_to_fail();
        let step = is_step.then(|| {
            let event = executor.event(&state, agent, executor.event_kind(&state, agent));
            let instance =
                if agent.is_buffer() { None } else { executor.instruction_instance(&state, agent.thread()) };
            let called = executor.pending_function(state.thread(agent.thread()));
            let called = called.filter(|_| matches!(event.kind, EventKind::Call(_)));
            let role = called.map_or(Role::None, |function| function.role);
            let (kind, footprint, location) = (event.kind, event.footprint, event.location);
            LocatedStep { agent, kind, role, instance, returned: None, footprint, location, threads: 0 }
        });
        if let Some(census) = &mut executor.notes.census {
            census.returned = None;
        }
        executor.notes.races.clear();
        let pauses_here = pauses.contains(&decision);
        while take(executor, &mut state, agent, &mut schedule)? == Reached::Pause && !pauses_here {}
        match pauses_here {
            true => paused.insert(agent.thread()),
            false => paused.remove(&agent.thread()),
        };
        if let Some(mut step) = step {
            step.returned = executor.notes.census.as_ref().and_then(|census| census.returned);
            step.threads = state.threads.len();
            steps.push(step);
        }
        let silent = executor.notes.census.as_mut().map(|census| std::mem::take(&mut census.accesses));
        steps.extend(
            silent.unwrap_or_default().into_iter().map(|access| of_silent(executor, &access, &state)),
        );
    }
    if state.has_forked() {
        return Err("the program forks, and a native run keeps to the schedule in one process".to_string());
    }
    let end = end(executor, &mut state, expected, options)?;
    discovered.extend(state.discovered.iter().copied());
    let unfinished = state.threads.iter().filter(|thread| thread.is_unfinished());
    let remaining = unfinished.map(|thread| Remaining {
        thread: thread.id,
        kind: thread.pending.as_ref().map(|_| executor.event_kind(&state, Agent::Thread(thread.id))),
        instance: executor.instruction_instance(&state, thread.id),
        location: symx_interp::stop::position::location(
            &executor.machine.program,
            executor.position(&state, thread.id),
        ),
    });
    Ok(Located {
        steps,
        remaining: remaining.collect(),
        threads: state.threads.iter().map(|thread| thread.name.clone()).collect(),
        end,
    })
}

/// An access that was no visible step as one.
fn of_silent<E: Environment>(
    executor: &Executor<'_, E>,
    silent: &SilentAccess,
    state: &State<E>,
) -> LocatedStep {
    LocatedStep {
        agent: Agent::Thread(silent.thread),
        kind: if silent.access.mode == Mode::Read { EventKind::Read } else { EventKind::Write },
        role: Role::None,
        instance: Some(silent.instance),
        returned: None,
        footprint: Footprint::from_slice(&[silent.access]),
        location: symx_interp::stop::position::location(&executor.machine.program, silent.span),
        threads: state.threads.len(),
    }
}

/// Lets `agent` take its step as the schedule says.
fn take<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    agent: Agent,
    schedule: &mut ScheduleCursor<'_>,
) -> Result<Reached, String> {
    driver::whole_step(executor, state, agent, schedule).map_err(|obstacle| schedule.divergence(obstacle))
}

/// How the execution ended.
fn end<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    expected: Option<&Failure>,
    options: &ExploreOptions,
) -> Result<End, String> {
    if state.end.is_none() {
        let is_expected = |race: &&Failure| expected.is_some_and(|failure| failure.same_fault(race));
        if let Some(race) = executor.notes.races.iter().find(is_expected) {
            return Ok(End::Failed(Arc::new(race.clone())));
        }
        if executor.enabled(state).is_empty() {
            executor.stuck(state);
        } else {
            find_livelock(executor, state, &[]);
        }
    }
    exit_checks::end_of(executor, state, options)
        .ok_or_else(|| "the schedule ends before the program does".to_string())
}
