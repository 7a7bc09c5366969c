//! From a schedule to the plan that a native run keeps to.

mod turns;

use crate::load::bitcode;
use crate::refusal::Refusal;
use crate::schedules::scheduled::Scheduled;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use symx_bitcode::{LoadOptions, instruction_numbers};
use symx_expr::StopToken;
use symx_interp::End;
use symx_interp::paths::census::{Instruction, InstructionInstance, InstructionMap};
use symx_interp::threads::modelled::Role;
use symx_posix_explore::{FixedSchedule, Located, LocatedStep, locate};
use symx_recorder::{Action, Plan, PlannedStep};
use symx_trace::profile::ProgramHash;
use symx_trace::{CallEffect, EventKind, FailureKind, Location, Mode, Place, ThreadId, footprint};
use turns::{Candidate, give_turns};

/// A schedule as a native run can keep it.
pub struct Enforcement {
    /// The plan.
    pub plan: Plan,
    /// How the execution ends.
    pub end: End,
    /// The program's module.
    pub bitcode: Vec<u8>,
}

impl Enforcement {
    /// Runs the schedule in the interpreter and notes which instructions take its steps.
    pub fn of(scheduled: &Scheduled) -> Result<Self, Refusal> {
        let loaded = &scheduled.session.loaded;
        let bytes = bitcode(&loaded.path, loaded.compilation())?;
        let refused = |why: String| Refusal::Recording(format!("no native replay: {why}"));
        let numbers = instruction_numbers(&bytes, &LoadOptions::default())
            .map_err(|error| Refusal::Undecodable { path: loaded.path.clone(), why: error.to_string() })?;
        let map = InstructionMap::new(&loaded.program, numbers)
            .ok_or_else(|| refused("the program's code is not numbered as its bitcode is".into()))?;
        let session = &scheduled.session;
        let inputs = &scheduled.schedule.inputs;
        let (plain, machine) = (session.machine_for(inputs), session.watching(inputs));
        let decisions: Vec<_> = scheduled.schedule.unfolded().collect();
        let located = locate(
            &plain,
            &machine,
            &mut || session.solver(StopToken::default()),
            Arc::new(map),
            FixedSchedule {
                visible: scheduled.sites.as_deref(),
                decisions: &decisions,
                expected: scheduled.schedule.failure.as_ref(),
            },
            &scheduled.options,
        )
        .map_err(refused)?;
        let program = ProgramHash(loaded.program.hash);
        let model = session.memory_model;
        if model.keeps_history() {
            let why =
                format!("loads may return earlier values under `{}`, natively they do not", model.name());
            return Err(refused(why));
        }
        let plan = plan(&located, program, model.buffers_stores()).map_err(refused)?;
        Ok(Self { plan, end: located.end, bitcode: bytes })
    }
}

/// A call in which a thread takes several steps, or its only one.
#[derive(Clone, Copy)]
struct Visit {
    first: usize,
    last: usize,
    /// Whether the thread took steps elsewhere in between.
    is_interleaved: bool,
    /// Whether the thread continued from there.
    is_over: bool,
}

/// The plan of an execution.
fn plan(located: &Located, program: ProgramHash, buffers: bool) -> Result<Plan, String> {
    if buffers {
        check_stores(&located.steps)?;
    }
    let mut visits = visits(&located.steps);
    let failing = match &located.end {
        End::Failed(failure) if failure.kind != FailureKind::Deadlock => Some(&failure.thread),
        _ => None,
    };
    for remaining in &located.remaining {
        if failing == Some(&located.threads[remaining.thread.index()]) {
            continue;
        }
        let key =
            remaining.instance.map(|instance| (remaining.thread, instance.instruction, instance.occurrence));
        if let Some(visit) = key.and_then(|key| visits.get_mut(&key)) {
            visit.is_over = false;
        }
    }
    let mut planner = Planner { numbers: HashMap::default(), names: Vec::new(), located };
    let mut taken = Vec::new();
    for (index, step) in located.steps.iter().enumerate() {
        let Some(key) = key_of(step) else { continue };
        if let Some((action, result)) = action(step, index, visits[&key]) {
            taken.push((index, key, action, result));
        }
    }
    let mut candidates = candidates(&located.steps, &visits, &taken);
    if let Some(last) = candidates.last_mut() {
        last.has_turn = true;
    }
    if buffers {
        candidates.iter_mut().for_each(|candidate| candidate.has_turn = true);
    } else {
        give_turns(&mut candidates);
    }
    let mut steps = Vec::new();
    for ((index, key, action, result), _) in
        taken.into_iter().zip(&candidates).filter(|(_, candidate)| candidate.has_turn)
    {
        let step = &located.steps[index];
        let description = describe(&step.kind, &step.location);
        let instance = InstructionInstance { instruction: key.1, occurrence: key.2 };
        steps.push(planner.step(key.0, instance, action, result, description)?);
    }
    let mut ends = Vec::new();
    let is_deadlock = matches!(&located.end, End::Failed(failure) if failure.kind == FailureKind::Deadlock);
    for remaining in &located.remaining {
        let Some(instance) = remaining.instance else {
            planner.keep_from_beginning(remaining.thread);
            continue;
        };
        let fails = failing == Some(&located.threads[remaining.thread.index()]);
        let key = (remaining.thread, instance.instruction, instance.occurrence);
        let action = match (fails, is_deadlock) {
            (true, _) => Action::Fail,
            (_, true) => Action::Block,
            (_, false) => Action::Hold,
        };
        // A visit that was begun is not begun again, but for waits, which have an end of their own.
        let begun = visits.get(&key).map(|visit| &located.steps[visit.first]);
        if !fails && begun.is_some_and(|step| !waits(step) && step.role != Role::CallsKernel) {
            continue;
        }
        let what = remaining.kind.as_ref().map_or_else(|| "the failure".into(), name_of);
        let description = format!("{what} at {}", place(&remaining.location));
        ends.push(planner.step(remaining.thread, instance, action, None, description)?);
    }
    if planner.names.is_empty() {
        planner.names.push("0".into());
    }
    Ok(Plan { program, threads: planner.names, steps, ends })
}

struct Planner<'e> {
    numbers: HashMap<ThreadId, u32>,
    names: Vec<String>,
    located: &'e Located,
}

impl Planner<'_> {
    fn number(&mut self, thread: ThreadId) -> u32 {
        let names = &mut self.names;
        *self.numbers.entry(thread).or_insert_with(|| {
            names.push(self.located.threads[thread.index()].to_string());
            names.len() as u32 - 1
        })
    }

    /// A thread that takes no step in the schedule is one of the plan's without steps: it
    /// is kept from beginning.
    fn keep_from_beginning(&mut self, thread: ThreadId) {
        let is_its = |step: &LocatedStep| step.agent.thread() == thread;
        if thread != ThreadId::MAIN && !self.located.steps.iter().any(is_its) {
            self.number(thread);
        }
    }

    fn step(
        &mut self,
        thread: ThreadId,
        instance: InstructionInstance,
        action: Action,
        result: Option<i32>,
        description: String,
    ) -> Result<PlannedStep, String> {
        if instance.occurrence == 0 {
            return Err(format!("{description}: how often the thread was there is not known"));
        }
        let number = self.number(thread);
        let Instruction { function, number: instruction } = instance.instruction;
        let occurrence = instance.occurrence;
        Ok(PlannedStep { thread: number, function, instruction, occurrence, action, result, description })
    }
}

fn own_instance(step: &LocatedStep) -> Option<InstructionInstance> {
    step.instance.filter(|_| !step.agent.is_buffer())
}

/// An execution of an instruction: the thread, the instruction, for the how-manyth time.
type Key = (ThreadId, Instruction, u32);

type Visits = HashMap<Key, Visit>;

fn key_of(step: &LocatedStep) -> Option<Key> {
    own_instance(step).map(|instance| (step.agent.thread(), instance.instruction, instance.occurrence))
}

fn is_call(step: &LocatedStep) -> bool {
    matches!(step.kind, EventKind::Call(_))
}

/// Which steps belong to one execution of one instruction: the calls it is or that are made
/// there, else the accesses.
fn visits(steps: &[LocatedStep]) -> Visits {
    let calls: HashSet<Key> = steps.iter().filter(|step| is_call(step)).filter_map(key_of).collect();
    let mut visits = Visits::default();
    let mut before: HashMap<ThreadId, Key> = HashMap::default();
    for (index, step) in steps.iter().enumerate() {
        let Some(key) = key_of(step) else { continue };
        let previous = before.insert(key.0, key);
        if !is_call(step) && calls.contains(&key) {
            continue;
        }
        visits
            .entry(key)
            .and_modify(|visit: &mut Visit| {
                visit.is_interleaved |= previous != Some(key);
                visit.last = index;
            })
            .or_insert(Visit { first: index, last: index, is_interleaved: false, is_over: true });
    }
    visits
}

/// The candidates for steps of the plan, with all that is touched there.
fn candidates(
    steps: &[LocatedStep],
    visits: &Visits,
    taken: &[(usize, Key, Action, Option<i32>)],
) -> Vec<Candidate> {
    let mut touched: HashMap<usize, Vec<(Place, Mode)>> = HashMap::default();
    for step in steps {
        if let Some(visit) = key_of(step).and_then(|key| visits.get(&key)) {
            let places = step.footprint.iter().map(|access| (access.place, access.mode));
            touched.entry(visit.last).or_default().extend(places);
        }
    }
    let mut threads = 1;
    let of = |&(index, key, ..): &(usize, Key, Action, Option<i32>)| {
        let now = steps[index].threads as u32;
        let created = threads..now.max(threads);
        threads = created.end;
        Candidate {
            index,
            thread: key.0,
            touched: touched.remove(&index).unwrap_or_default(),
            has_turn: is_call(&steps[index]),
            created,
        }
    };
    taken.iter().map(of).collect()
}

/// How a step of an instruction's execution is taken natively; `None` if it is no step of its own there.
fn action(step: &LocatedStep, index: usize, visit: Visit) -> Option<(Action, Option<i32>)> {
    let Some(effect) = step.kind.effect() else {
        // A library's accesses to memory are parts of the program's call of it.
        return (index == visit.last).then_some((Action::Perform, None));
    };
    let returned = step.returned.map(|value| value as i32);
    if effect == CallEffect::ConditionWait {
        // A step between these two leaves the queue: natively that is part of waking.
        let touches = |mode: Mode| step.footprint.iter().any(|access| access.mode == mode);
        return match (touches(Mode::Release), touches(Mode::Acquire)) {
            (true, _) => Some((Action::Release, None)),
            (_, true) => Some((Action::Wake, returned)),
            _ => None,
        };
    }
    if effect == CallEffect::BarrierWait && (visit.first != visit.last || !visit.is_over) {
        let departs = index == visit.last && visit.is_over;
        return Some(if departs { (Action::Depart, returned) } else { (Action::Arrive, None) });
    }
    if visit.is_interleaved {
        return (index == visit.first).then_some((Action::Enter, None));
    }
    if !visit.is_over {
        // It goes on to wait: a system call does so once all other threads have taken their steps.
        let enters = index == visit.first && step.role != Role::CallsKernel;
        return enters.then_some((Action::Enter, None));
    }
    let result = returned.filter(|_| step.role == Role::GivesUp);
    (index == visit.last).then_some((Action::Perform, result))
}

/// Whether a step begins a wait of two steps.
fn waits(step: &LocatedStep) -> bool {
    matches!(step.kind.effect(), Some(CallEffect::ConditionWait | CallEffect::BarrierWait))
}

/// A native run makes stores at once. That is the same if no other agent touches what a store writes between
/// its issue and its commit.
fn check_stores(steps: &[LocatedStep]) -> Result<(), String> {
    for (index, step) in steps.iter().enumerate() {
        if !step.agent.is_buffer() {
            continue;
        }
        let thread = step.agent.thread();
        let token = |other: &LocatedStep| {
            other.kind == EventKind::Write
                && other.agent.thread() == thread
                && other.footprint.iter().any(|access| {
                    step.footprint.iter().any(|mine| {
                        mine.place == access.place && matches!(access.place, Place::PendingStore { .. })
                    })
                })
        };
        let Some(issued) = steps[..index].iter().rposition(token) else {
            return Err("a store's issue is not in the schedule".into());
        };
        let writes: Vec<_> = step
            .footprint
            .iter()
            .copied()
            .filter(|access| matches!(access.place, Place::Memory { .. }))
            .collect();
        let seen_between = steps[issued + 1..index]
            .iter()
            .any(|other| other.agent.thread() != thread && footprint::dependent(&writes, &other.footprint));
        if seen_between {
            return Err(format!(
                "another thread observes that the store at {} is delayed in the store buffer: \
                 a native run cannot be made to delay stores",
                place(&steps[issued].location)
            ));
        }
    }
    Ok(())
}

fn describe(kind: &EventKind, location: &Location) -> String {
    format!("{} at {}", name_of(kind), place(location))
}

fn name_of(kind: &EventKind) -> String {
    match kind {
        EventKind::Read => "read".into(),
        EventKind::Write => "write".into(),
        EventKind::ReadModifyWrite => "read-modify-write".into(),
        EventKind::Fence => "fence".into(),
        EventKind::Commit => "drain".into(),
        EventKind::Free => "end of an object's life".into(),
        EventKind::Failure => "failure".into(),
        EventKind::Call(call) => call.name.clone(),
    }
}

fn place(location: &Location) -> String {
    match location.line {
        0 => "an unknown place".into(),
        line => format!("{}:{line}", location.file),
    }
}
