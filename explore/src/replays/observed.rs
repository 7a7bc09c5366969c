//! A replay for people: every visible step with what it touches by name, the value, and where that comes
//! from. It also has the locks held and the stores under way.
//!
//! Accesses of the last thread to shared memory when all others have ended are no steps of a schedule. They
//! are reported nevertheless, since their values are often the point of the failure.

use crate::ExploreOptions;
use crate::replays::schedule::{FixedSchedule, Replayed, Watch, replay_watched};
use crate::replays::touched::{access_of, bytes, object_of, place_of, titled};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_expr::{StopReason, StopToken, Term, evaluate};
use symx_interp::access::object_names::Names;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::state::{End, State};
use symx_interp::step::EntryFunction;
use symx_interp::stop::position::{TakenLock, location};
use symx_interp::threads::thread::{AFTER_STORE_STORE, Action, Thread};
use symx_ir::SourceName;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Epoch, Lane};
use symx_trace::explanation::{
    Course, ExecutedStep, Execution, HeldLock, Lane as ThreadLane, PlaceInMemory, Progress, ReturnedInput,
};
use symx_trace::{Agent, CallOutcome, Decision, Event, FailureKind, Input, ThreadId, ThreadName};

/// Replays a schedule as [`replay`](crate::replay) does and reports what happens; what happened until the
/// `cutoff`, if that comes first.
pub fn observe<E: Environment>(
    machine: &Machine<E>,
    solver: impl Fn() -> Box<dyn Solver>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
    cutoff: &StopToken,
) -> (Replayed, Execution) {
    let mut observer = Observer { watches_alone: true, cutoff: cutoff.clone(), ..Observer::default() };
    let replayed = replay_watched(machine, solver(), schedule, options, &mut observer);
    // A schedule of another exploration may have steps of its own where a thread is alone.
    if replayed.divergence.is_some() && cutoff.reason().is_none() {
        return observe_steps(machine, solver(), schedule, options);
    }
    let execution = observer.into_execution(&replayed, schedule.decisions);
    (replayed, execution)
}

/// The same, of no step but the schedule's: step `n` is event `n` of the trace, but for those that
/// wait in the end.
pub fn observe_steps<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    schedule: FixedSchedule<'_>,
    options: &ExploreOptions,
) -> (Replayed, Execution) {
    let mut observer = Observer::default();
    let replayed = replay_watched(machine, solver, schedule, options, &mut observer);
    let execution = observer.into_execution(&replayed, schedule.decisions);
    (replayed, execution)
}

/// The report that is put together during an execution.
#[derive(Default)]
struct Observer {
    execution: Execution,
    watches_alone: bool,
    /// The token that ends the replay.
    cutoff: StopToken,
    /// How many of the addresses written to the executor knows.
    known: usize,
    /// By thread, the function it began in.
    functions: Vec<EntryFunction>,
    /// By thread, the name that the program gave it.
    given: Vec<String>,
    /// By thread, its process, by the thread that a fork made.
    processes: Vec<Option<ThreadName>>,
    /// Whether the step under way is none of the schedule: its thread is alone.
    is_alone: bool,
    /// How many threads the one that takes a step has created before it.
    children: u32,
    /// The threads that steps created.
    created: FxHashSet<ThreadName>,
    /// By address, the step that wrote last.
    writers: FxHashMap<u64, u32>,
    /// By thread and the number of a buffered store, the step that issued it.
    issued: FxHashMap<(ThreadId, u32), u32>,
    /// The steps by what they are in a history of writes.
    epochs: FxHashMap<Epoch, u32>,
    /// By thread, the locks it holds, in the order in which it took them.
    held: Vec<Vec<TakenLock>>,
    /// The access of the step under way: address, length, whether it reads and whether it writes.
    access: Option<(u64, u64, bool, bool)>,
    running: Option<ThreadId>,
    /// How many inputs the execution had before.
    inputs: usize,
    is_step: bool,
    names: Names,
}

impl<E: Environment> Watch<E> for Observer {
    fn begin(&mut self, executor: &mut Executor<'_, E>) {
        executor.notes.outcome = Some(CallOutcome::Done);
    }

    fn cut(&self) -> Option<&'static str> {
        self.cutoff.reason().map(StopReason::word)
    }

    fn is_unscheduled(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &State<E>,
        enabled: &[Agent],
    ) -> bool {
        self.is_alone = false;
        if !self.watches_alone {
            return false;
        }
        if self.known < self.writers.len() {
            self.known = self.writers.len();
            executor.contested = self.writers.keys().filter_map(|address| Cell::of(*address)).collect();
        }
        let [agent @ Agent::Thread(thread)] = *enabled else { return false };
        let is_alone = state.threads.len() > 1
            && state.unjoined <= 1
            && state.thread(agent.thread()).buffer.is_empty()
            && !state.remembers_writes();
        let pending = state.thread(thread).pending.as_ref();
        self.is_alone = is_alone
            && pending.is_some_and(|pending| {
                matches!(
                    pending.action,
                    Action::Load { .. } | Action::Store { .. } | Action::ReadModifyWrite { .. }
                )
            });
        self.is_alone
    }

    fn before(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        agent: Agent,
        event: Option<&Event>,
        choice: u32,
    ) {
        self.note_inputs(executor, state);
        let seen = executor.seen_by(state, agent.thread());
        let state = &*seen;
        self.is_step = event.is_some();
        let thread = agent.thread();
        // Counted as in a schedule, whose steps are these but for those of a thread that is alone.
        if !agent.is_buffer() && !self.is_alone {
            self.execution.context_switches += u32::from(self.running.is_some_and(|last| last != thread));
            self.running = Some(thread);
        }
        let Some(event) = event else { return };
        let index = thread.index();
        self.children = state.thread(thread).children;
        self.make_room(state);
        if !matches!(self.functions[index], EntryFunction::Own(_)) {
            self.functions[index] = executor.began_in(state, thread);
        }
        let number = self.execution.steps.len() as u32;
        self.access = access_of(executor, state, agent);
        let (object, place) = match self.access {
            Some((address, length, ..)) => {
                (self.names.name(executor, state, address, length), place_of(state, address))
            }
            None => object_of(&self.names, executor, state, event),
        };
        let among_processes = |place: Option<PlaceInMemory>| {
            let place = place?;
            let object = executor.distinct_address(state, thread, place.object);
            Some(PlaceInMemory { object, ..place })
        };
        let mut step = ExecutedStep {
            place: among_processes(place),
            locks: self.held[index]
                .iter()
                .map(|lock| HeldLock {
                    name: self.names.name(executor, state, lock.address, 0),
                    place: among_processes(place_of(state, lock.address)),
                    is_shared: lock.is_shared,
                })
                .collect(),
            buffered: self.names.buffered(executor, state, thread),
            location: event.called_from.clone().unwrap_or_else(|| event.location.clone()),
            library: event.called_from.is_some().then(|| event.location.clone()),
            ..ExecutedStep::taken(thread.0, titled(executor, state.thread(thread), &event.kind), object)
        };
        if let Agent::Buffer { lane, .. } = agent {
            let store = state.thread(thread).buffer.next_in(executor.machine.model, Lane(lane));
            let issued = store.and_then(|store| self.issued.get(&(thread, store.event & !AFTER_STORE_STORE)));
            step.issued_by = issued.copied();
            step.value = store.map_or_else(String::new, |store| {
                self.names.shown(executor, state, store.address, &store.bytes)
            });
            // A later read of this reads what the thread stored.
            let writer = step.issued_by.unwrap_or(number);
            if let Some(store) = store {
                let address = executor.distinct_address(state, thread, store.address);
                self.writers.extend((0..store.bytes.len() as u64).map(|offset| (address + offset, writer)));
            }
        } else if let Some((address, length, true, _)) = self.access {
            let read = executor.about_to_read(state, thread, choice);
            let read = read.unwrap_or_else(|| bytes(executor, state, thread, address, length));
            step.value = self.names.shown(executor, state, address, &read);
            step.reads_from = match executor.sources(state, thread, choice) {
                Some(writes) => writes.iter().filter_map(|epoch| self.epochs.get(epoch)).copied().max(),
                None => self.source(executor, state, thread, address, length),
            };
        }
        if let Some(epoch) = state.next_epoch(thread) {
            self.epochs.insert(epoch, number);
        }
        self.execution.steps.push(step);
    }

    fn failed(&mut self, executor: &Executor<'_, E>, state: &State<E>) {
        self.note_inputs(executor, state);
        let failure = match &state.end {
            Some(End::Failed(failure)) => failure,
            _ => return,
        };
        // A thread that has not ended stands before a step: forever, or because others failed first.
        let is_stuck = failure.kind == FailureKind::Deadlock;
        // Beside threads that spin forever, others wait as long.
        let is_endless = failure.kind == FailureKind::Livelock;
        let left = |thread: &&Arc<Thread<E>>| {
            let may_step = thread.is_unfinished() && thread.pending.is_some();
            may_step && (is_stuck || thread.name != failure.thread)
        };
        for id in state.threads.iter().filter(left).map(|thread| thread.id) {
            let agent = Agent::Thread(id);
            let event = executor.event(state, agent, executor.event_kind(state, agent));
            let switches = self.execution.context_switches;
            self.before(executor, state, agent, Some(&event), 0);
            self.execution.context_switches = switches;
            let step = self.execution.steps.last_mut().expect("it was put there");
            step.reads_from = None;
            step.value.clear();
            let waits = is_stuck || is_endless && !executor.can_step(state, state.thread(id));
            step.progress = if waits { Progress::Waits } else { Progress::NotReached };
        }
    }

    fn after(&mut self, executor: &Executor<'_, E>, state: &State<E>, agent: Agent) {
        let thread = agent.thread();
        self.remember_locks(executor, state, thread);
        self.given.resize(state.threads.len().max(self.given.len()), String::new());
        if let Some(name) = executor.machine.environment.given_name(&state.data, thread) {
            self.given[thread.index()] = name;
        }
        let created = self.processes.len()..state.threads.len();
        self.processes.extend(created.map(|index| state.forked_process_of(ThreadId(index as u32)).cloned()));
        if !std::mem::take(&mut self.is_step) || agent.is_buffer() {
            return;
        }
        let number = self.execution.steps.len() as u32 - 1;
        // A thread that a step created is what the step is about.
        let creator = state.thread(thread);
        if let Some(step) = self.execution.steps.last_mut() {
            step.outcome = executor.notes.outcome.unwrap_or_default();
            if creator.children > self.children {
                let created = creator.name.child(creator.children);
                (step.object, step.place) = (SourceName::description(created.label()), None);
                self.created.insert(created);
            }
        }
        self.note_beginning(executor, state, creator);
        let Some((address, length, reads, true)) = self.access.take() else { return };
        let step = self.execution.steps.last_mut().expect("it was put there before the step");
        let issued = state.thread(thread).buffer.stores().next_back();
        let newest = issued.map(|store| store.event & !AFTER_STORE_STORE);
        let is_new = newest.is_some_and(|event| !self.issued.contains_key(&(thread, event)));
        if let Some(event) = newest.filter(|_| is_new) {
            self.issued.insert((thread, event), number);
        }
        let now = bytes(executor, state, thread, address, length);
        let written = self.names.shown(executor, state, address, &now);
        if !reads {
            step.value = written;
        } else if !written.is_empty() && written != step.value {
            step.value = format!("{} -> {written}", step.value);
        }
        if !is_new {
            let address = executor.distinct_address(state, thread, address);
            self.writers.extend((0..length).map(|offset| (address + offset, number)));
        }
    }
}

/// Leaves out threads that have numbers ([`numbers`](symx_interp::step::numbers)) though they were never
/// created.
fn leave_out_uncreated(execution: &mut Execution, created: &FxHashSet<ThreadName>) {
    let mut is_there = vec![false; execution.threads.len()];
    let failed = execution.failure.as_ref().map(|failure| &failure.thread);
    for (index, lane) in execution.threads.iter().enumerate() {
        is_there[index] =
            lane.name == ThreadName::main() || Some(&lane.name) == failed || created.contains(&lane.name);
    }
    execution.steps.iter().for_each(|step| is_there[step.thread as usize] = true);
    execution.returned.iter().for_each(|input| is_there[input.thread as usize] = true);
    let before = |index: usize| is_there[..index].iter().filter(|is_there| **is_there).count() as u32;
    let numbers: Vec<u32> = (0..is_there.len()).map(before).collect();
    execution.steps.iter_mut().for_each(|step| step.thread = numbers[step.thread as usize]);
    execution.returned.iter_mut().for_each(|input| input.thread = numbers[input.thread as usize]);
    let mut stays = is_there.iter().copied();
    execution.threads.retain(|_| stays.next().unwrap_or(true));
}

impl Observer {
    /// The execution that the replay has given.
    fn into_execution(self, replayed: &Replayed, decisions: &[Decision]) -> Execution {
        let names = replayed.trace.threads.iter().cloned();
        let functions = self.functions.into_iter().map(EntryFunction::into_name);
        let functions = functions.chain(std::iter::repeat(String::new()));
        let given = self.given.into_iter().chain(std::iter::repeat(String::new()));
        let processes = self.processes.into_iter().chain(std::iter::repeat(None));
        let lane = |(((name, function), given), process): (((ThreadName, String), String), _)| {
            // The main thread has a name also where none of its steps is visible.
            let is_unseen = function.is_empty() && name == ThreadName::main();
            ThreadLane { function: if is_unseen { "main".into() } else { function }, name, process, given }
        };
        let course = Course { decisions: decisions.to_vec(), threads: replayed.trace.threads.clone() };
        let mut execution = Execution {
            course,
            threads: names.zip(functions).zip(given).zip(processes).map(lane).collect(),
            preemptions: replayed.preemptions,
            failure: replayed.failure().cloned(),
            output: String::from_utf8_lossy(&replayed.output).into_owned(),
            ..self.execution
        };
        leave_out_uncreated(&mut execution, &self.created);
        execution
    }

    /// Notes where the thread begins that a step has created: it may never take one.
    fn note_beginning<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        creator: &Thread<E>,
    ) {
        if creator.children == self.children {
            return;
        }
        let created = creator.name.child(creator.children);
        let Some(thread) = state.threads.iter().find(|thread| thread.name == created) else { return };
        let entry = executor.began_in(state, thread.id);
        // A library's function says nothing of what the thread is for.
        if !matches!(entry, EntryFunction::Library(_)) {
            self.make_room(state);
            self.functions[thread.id.index()] = entry;
        }
    }

    /// Makes room for what is noted of each thread.
    fn make_room<E: Environment>(&mut self, state: &State<E>) {
        if self.functions.len() < state.threads.len() {
            self.functions.resize(state.threads.len(), EntryFunction::default());
            self.held.resize(state.threads.len(), Vec::new());
        }
    }

    /// Notes the inputs that calls have returned since the last step.
    fn note_inputs<E: Environment>(&mut self, executor: &Executor<'_, E>, state: &State<E>) {
        let Some(values) = executor.machine.options.assignment.as_deref() else { return };
        let terms = &executor.machine.terms;
        for input in state.inputs.iter().skip(self.inputs) {
            let Some(call) = input.returned else { continue };
            let value = |symbol: &Term| evaluate(terms, *symbol, values).limbs()[0] as u8;
            self.execution.returned.push(ReturnedInput {
                step: self.execution.steps.len() as u32,
                thread: call.thread.0,
                function: call.function.to_owned(),
                location: location(&executor.machine.program, call.span),
                input: Input {
                    name: input.name.to_string(),
                    bytes: input.bytes.iter().map(value).collect(),
                    origin: (*input.origin).clone(),
                    declared: input.declared,
                },
            });
        }
        self.inputs = state.inputs.len();
    }

    /// The latest of the steps that wrote the bytes a thread sees.
    fn source<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
        address: u64,
        length: u64,
    ) -> Option<u32> {
        let range = ByteRange::new(address, length);
        let own = |offset: u64| {
            let mut forwarded = state.thread(thread).buffer.forward(range);
            let byte = forwarded.find(|byte| byte.offset == offset)?;
            self.issued.get(&(thread, byte.event & !AFTER_STORE_STORE)).copied()
        };
        let distinct = executor.distinct_address(state, thread, address);
        (0..length)
            .filter_map(|offset| own(offset).or_else(|| self.writers.get(&(distinct + offset)).copied()))
            .max()
    }

    fn remember_locks<E: Environment>(&mut self, executor: &Executor<'_, E>, state: &State<E>, of: ThreadId) {
        let Some(known) = self.held.get_mut(of.index()) else { return };
        let held = executor.machine.environment.held(state, of);
        known.retain(|lock| held.contains(lock));
        let new: Vec<TakenLock> = held.into_iter().filter(|lock| !known.contains(lock)).collect();
        known.extend(new);
    }
}
