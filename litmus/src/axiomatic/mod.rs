//! Every outcome of a program by listing candidate executions and asking the axioms which
//! of them are allowed.
//!
//! A candidate is a guess how every branch and compare goes, and relations at every location. Where
//! there is one order of stores, `store_order` looks for relations; `happens_before` does so for
//! models that keep history.

mod happens_before;
mod order;
mod store_order;
mod values;

use self::order::{Events, only};
use crate::program::{Instruction, Observed, Outcome, Program, REGISTERS, Update};
use std::collections::BTreeSet;
use symx_memmodel::{ByteRange, Event, Execution, Location, MemoryModel, Operation, Ordering};

/// A model, and the outcomes found so far that it allows.
type Allowed = (&'static dyn MemoryModel, BTreeSet<Outcome>);

/// A step of a guessed control flow: the instruction, and whether its branch is skipped or its compare fails.
#[derive(Clone, Copy)]
struct Step<'a> {
    instruction: &'a Instruction,
    fails: bool,
}

/// All ways through one thread, guessing each condition.
fn paths(code: &[Instruction]) -> Vec<Vec<Step<'_>>> {
    let Some((instruction, rest)) = code.split_first() else { return vec![Vec::new()] };
    let guesses: &[(bool, usize)] = match instruction {
        Instruction::SkipUnless { count, .. } => &[(false, 0), (true, *count)],
        Instruction::Update { update: Update::CompareExchange { .. }, .. } => &[(false, 0), (true, 0)],
        _ => &[(false, 0)],
    };
    let mut all = Vec::new();
    for &(fails, skipped) in guesses {
        for tail in paths(&rest[skipped..]) {
            all.push([vec![Step { instruction, fails }], tail].concat());
        }
    }
    all
}

/// The event of a step; a branch has none.
fn event(thread: usize, step: &Step) -> Option<Event> {
    let (operation, ordering, range) = match step.instruction {
        Instruction::Load { range, ordering, .. } => (Operation::Load, *ordering, *range),
        Instruction::Store { range, ordering, .. } => (Operation::Store, *ordering, *range),
        Instruction::Update { range, ordering, .. } if step.fails => {
            (Operation::FailedCompareExchange, *ordering, *range)
        }
        Instruction::Update { range, ordering, .. } => (Operation::ReadModifyWrite, *ordering, *range),
        Instruction::Fence(ordering) => (Operation::Fence, *ordering, ByteRange::new(0, 0)),
        Instruction::SkipUnless { .. } => return None,
    };
    Some(Event { thread: thread as u32, operation, ordering, range })
}

/// The outcomes of `program` under each of `models`, in their order.
pub fn outcomes(program: &Program, models: &[&'static dyn MemoryModel]) -> Vec<BTreeSet<Outcome>> {
    let mut allowed: Vec<Allowed> = models.iter().map(|model| (*model, BTreeSet::new())).collect();
    let (history, store_order): (Vec<usize>, Vec<usize>) =
        (0..models.len()).partition(|model| models[*model].keeps_history());
    if !store_order.is_empty() {
        for threads in control_flows(program) {
            store_order::add_outcomes(program, &threads, execution(&threads), &store_order, &mut allowed);
        }
    }
    if !history.is_empty() {
        // The observer of memory in the end reads as every thread does.
        let (watched, observer) = with_observer(program);
        for threads in control_flows(&watched) {
            let mut execution = execution(&threads);
            execution.synchronises = after_all_others(&execution, observer);
            happens_before::add_outcomes(&watched, &threads, execution, &history, &mut allowed);
        }
    }
    allowed.into_iter().map(|(_, outcomes)| outcomes).collect()
}

/// All guesses of the control flow of all threads: one way through each.
fn control_flows(program: &Program) -> Vec<Vec<Vec<Step<'_>>>> {
    program.threads.iter().fold(vec![Vec::new()], |taken, code| {
        let paths = paths(code);
        let extended = taken.iter().flat_map(|start| {
            paths.iter().map(|path| [start.as_slice(), std::slice::from_ref(path)].concat())
        });
        extended.collect()
    })
}

/// The events of a control flow, thread by thread, with any relations.
fn execution(threads: &[Vec<Step>]) -> Execution {
    let of_thread = |(thread, steps): (usize, &Vec<Step>)| {
        steps.iter().filter_map(|step| event(thread, step)).collect::<Vec<_>>()
    };
    Execution::new(threads.iter().enumerate().flat_map(of_thread).collect())
}

/// A location without relations: nothing is known of it yet.
fn unrelated(range: ByteRange) -> Location {
    Location { range, coherence: Vec::new(), reads_from: Vec::new() }
}

/// The writes of a location.
fn writes_of(location: &Location) -> Events {
    location.coherence.iter().fold(0, |writes, write| writes | only(*write))
}

/// The program with a thread that reads the memory to observe, and that thread's number.
fn with_observer(program: &Program) -> (Program, usize) {
    let mut watched = program.clone();
    let mut reads = Vec::new();
    for (index, observed) in watched.observed.iter_mut().enumerate() {
        if let Observed::Memory(range) = *observed {
            let register = REGISTERS + index;
            reads.push(Instruction::Load { register, range, ordering: Ordering::NotAtomic });
            *observed = Observed::Register(register);
        }
    }
    watched.threads.push(reads);
    (watched, program.threads.len())
}

/// The end of every other thread before the start of `last`.
fn after_all_others(execution: &Execution, last: usize) -> Vec<(usize, usize)> {
    let of = |thread: usize| {
        let events = execution.events.iter().enumerate();
        events.filter(move |(_, event)| event.thread as usize == thread).map(|(index, _)| index)
    };
    let Some(start) = of(last).next() else { return Vec::new() };
    (0..last).filter_map(|thread| Some((of(thread).next_back()?, start))).collect()
}
