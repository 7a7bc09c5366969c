//! Memory that is lost or not freed, and threads that nothing joins.

use super::Ended;
use crate::ExploreOptions;
use rustc_hash::FxHashSet;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::{Life, Object, SiteKind};
use symx_interp::state::{End, State};
use symx_interp::stop::Incomplete;
use symx_interp::stop::position::location;
use symx_interp::threads::thread::Activation;
use symx_ir::address::Cell;
use symx_trace::failure::Note;
use symx_trace::{Failure, FailureDetail, FailureKind, IncompleteReason};

pub(super) fn look<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let Ended { executor, state, options, .. } = *ended;
    let counts = |detail| options.counted.has(FailureKind::Leak, detail);
    let leaked = if counts(FailureDetail::Plain) {
        leaks(executor, state, Registers::Lead, options.strict_leaks).0
    } else {
        Vec::new()
    };
    let Some(first) = leaked.first() else {
        let unfreed = || counts(FailureDetail::Unfreed).then(|| unfreed(ended)).flatten();
        let threads = || counts(FailureDetail::Thread).then(|| thread_leak(ended)).flatten();
        return unfreed().or_else(threads);
    };
    let bytes: u64 = leaked.iter().map(|object| object.size).sum();
    let more = match leaked.len() - 1 {
        0 => String::new(),
        1 => ", and 1 more object".into(),
        more => format!(", and {more} more objects"),
    };
    let message = format!(
        "memory leak: {} is never freed{more} ({bytes} bytes in all)",
        executor.describe_object(first)
    );
    let mut failure = ended.failure(FailureKind::Leak, message, first.origin.span);
    failure.notes = leaked
        .iter()
        .skip(1)
        .take(10)
        .map(|object| Note {
            message: format!("{} leaks as well", executor.describe_object(object)),
            location: location(&executor.machine.program, object.origin.span),
            thread: None,
            stack: Vec::new(),
        })
        .collect();
    Some(failure)
}

/// Whether what only registers point to counts as pointed to. A register keeps its number when the program
/// has no more use for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registers {
    /// It does.
    Lead,
    /// It does not.
    LeadNowhere,
}

/// Live heap objects.
fn live<E: Environment>(state: &State<E>) -> Vec<Cell> {
    let mut live = Vec::new();
    state.memory.for_each(|object| {
        if matches!(object.site.kind(), SiteKind::Heap(..)) && object.life == Life::Live {
            live.extend(Cell::of(object.base));
        }
    });
    live
}

/// The failure that memory is still allocated: what the program itself has allocated.
fn unfreed<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let Ended { executor, state, .. } = *ended;
    let live = live(state);
    let mut objects = live.iter().filter_map(|cell| state.memory.get(*cell));
    let first = objects.find(|object| is_programs_own(executor, object))?;
    let message = format!(
        "memory is not freed: {} is allocated when the process ends",
        executor.describe_object(first)
    );
    Some(Failure {
        detail: FailureDetail::Unfreed,
        ..ended.failure(FailureKind::Leak, message, first.origin.span)
    })
}

/// Whether the program allocated an object itself, not a library on its behalf or for itself.
fn is_programs_own<E: Environment>(executor: &Executor<'_, E>, object: &Object) -> bool {
    executor.machine.program.outside_library_sources(object.origin.span).is_some()
}

/// Why it is unknown whether memory is lost or left where an execution has ended, if that is so and is asked
/// strictly.
pub(crate) fn cannot_tell_leaks<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    options: &ExploreOptions,
) -> Option<Incomplete> {
    if !options.strict_leaks || !options.counted.contains(FailureKind::Leak) {
        return None;
    }
    let counts = |detail| options.counted.has(FailureKind::Leak, detail);
    let lost = || {
        let (lost, perhaps) = leaks(executor, state, Registers::LeadNowhere, true);
        let first = lost.into_iter().chain(perhaps).find(|_| counts(FailureDetail::Plain));
        first.map(|object| executor.describe_object(object))
    };
    let left = |by_library: bool| {
        let is_meant = |object: &&Object| !(by_library && is_programs_own(executor, object));
        let live = live(state);
        let mut objects = live.iter().filter_map(|cell| state.memory.get(*cell)).filter(is_meant);
        objects
            .next()
            .filter(|_| counts(FailureDetail::Unfreed))
            .map(|object| executor.describe_object(object))
    };
    let what = match &state.end {
        Some(End::Exit(_)) => match (lost(), left(true)) {
            (Some(object), _) => format!("whether {object} is lost: at most registers lead to it"),
            (None, Some(object)) => format!("whether a library or the program is to free {object}"),
            (None, None) => return None,
        },
        Some(End::Failed(failure)) if options.quiet.counts(failure) => {
            let others = state.threads.iter().filter(|thread| !thread.exited).count() > 1;
            match lost().or_else(|| left(false)) {
                Some(object) => format!("whether {object} is lost where it ends: {}", failure.message),
                None if others => format!("whether other threads lose memory before: {}", failure.message),
                None => return None,
            }
        }
        _ => return None,
    };
    Some(Incomplete { what, ..IncompleteReason::UncheckedFailure.into() })
}

/// A thread that has ended keeps its stack and its result until it is joined or detached.
fn thread_leak<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let Ended { executor, state, .. } = *ended;
    let leaked = executor.machine.environment.unjoined_threads(state);
    let (thread, created) = *leaked.first()?;
    let more = if leaked.len() > 1 { format!(", nor are {} more", leaked.len() - 1) } else { String::new() };
    let title = executor.title(state, thread);
    let message = format!("thread leak: {title} is never joined or detached{more}");
    Some(Failure { detail: FailureDetail::Thread, ..ended.failure(FailureKind::Leak, message, created) })
}

/// What the registers of all threads hold: a process that calls `exit` has not returned from its functions.
fn registers<E: Environment>(state: &State<E>) -> impl Iterator<Item = u64> + '_ {
    let activations = state.threads.iter().flat_map(|thread| &thread.stack);
    activations.flat_map(|activation| match activation {
        Activation::Program(frame) => frame.registers().to_vec(),
        Activation::Model(frame) => frame.arguments.iter().filter_map(|value| value.concrete()).collect(),
    })
}

/// Live heap objects that are unreachable: the first list. The roots are all other live objects (globals,
/// thread-locals, stacks), addresses that the environment keeps and, by `by`, registers.
///
/// A word of a reachable object is a pointer if it lies in the cell of an object. It must be aligned; if
/// `strictly`, it may be at any byte.
///
/// A word whose upper half depends on inputs could be a pointer to anything. If `strictly` and there is one
/// in a reachable object, no object is certainly unreachable: all are in the second list instead.
fn leaks<'s, E: Environment>(
    executor: &Executor<'_, E>,
    state: &'s State<E>,
    by: Registers,
    strictly: bool,
) -> (Vec<&'s Object>, Vec<&'s Object>) {
    let step = if strictly { 1 } else { 8 };
    let mut is_open = false;
    let mut reached: FxHashSet<Cell> = FxHashSet::default();
    let mut open: Vec<Cell> = Vec::new();
    let mut heap: Vec<Cell> = Vec::new();
    state.memory.for_each(|object| {
        let Some(cell) = Cell::of(object.base) else { return };
        match object.site.kind() {
            SiteKind::Heap(..) if object.life == Life::Live => heap.push(cell),
            SiteKind::Heap(..) => {}
            _ if object.life == Life::Live => {
                reached.insert(cell);
                open.push(cell);
            }
            _ => {}
        }
    });
    let registers = registers(state).filter(|_| by == Registers::Lead);
    for address in executor.machine.environment.roots(&state.data).into_iter().chain(registers) {
        if let Some(cell) = Cell::of(address)
            && reached.insert(cell)
        {
            open.push(cell);
        }
    }
    while let Some(cell) = open.pop() {
        let Some(object) = state.memory.get(cell) else { continue };
        if object.life != Life::Live {
            continue;
        }
        let mut offset = object.base.next_multiple_of(step) - object.base;
        while object.contains(offset, 8) {
            let is_symbolic = object.has_symbolic(offset, 8);
            // Sums of addresses have 64 bits: all of one that depends on inputs does.
            is_open |= strictly && is_symbolic && object.has_symbolic(offset + 4, 4);
            let word = if is_symbolic { 0 } else { object.read_word(offset, 8) };
            if let Some(target) = Cell::of(word)
                && state.memory.get(target).is_some()
                && reached.insert(target)
            {
                open.push(target);
            }
            offset += step;
        }
    }
    let lost = heap.iter().filter(|cell| !reached.contains(cell));
    let lost = lost.filter_map(|cell| state.memory.get(*cell)).collect();
    if is_open { (Vec::new(), lost) } else { (lost, Vec::new()) }
}
