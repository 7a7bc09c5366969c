//! Checks after a process has ended normally: leaks, unfinished threads, its exit status and its output,
//! where asked for.

use crate::ExploreOptions;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::memory::{Life, Object, SiteKind};
use symx_interp::state::{End, Exit, State};
use symx_interp::stop::Incomplete;
use symx_interp::stop::position::location;
use symx_interp::threads::thread::{Activation, Thread};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::failure::Note;
use symx_trace::failure::checks::AtEnd;
use symx_trace::{
    Access, Agent, Failure, FailureDetail, FailureKind, Footprint, IncompleteReason, Mode, Place, ThreadId,
};

impl ExploreOptions {
    /// Whether it is looked at which threads have ended when the process does: any step of theirs may come
    /// before that or after.
    pub(crate) fn looks_at_threads_at_end(&self) -> bool {
        self.counted.look_at(AtEnd::Threads)
    }
}

/// The footprint of the next step of `agent`. Where leaks or unfinished threads count, a step that ends the
/// process touches everything. For it is looked at which threads have ended by then, and where their pointers
/// lead.
pub(crate) fn footprint<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
    options: &ExploreOptions,
) -> Footprint {
    let mut footprint = executor.footprint(state, agent);
    if let Agent::Thread(thread) = agent
        && options.looks_at_threads_at_end()
        && state.thread(thread).is_about_to_end_all()
    {
        footprint.push(Access { place: Place::Everything, mode: Mode::Write });
    }
    footprint
}

/// How an execution has ended: an exit that is a failure is that failure.
pub(crate) fn end_of<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    options: &ExploreOptions,
) -> Option<End> {
    match state.end {
        Some(End::Exit(exit)) => {
            let failure = check(executor, state, exit, options);
            Some(failure.map_or(End::Exit(exit), |failure| End::Failed(Arc::new(failure))))
        }
        _ => state.end.clone(),
    }
}

/// The failure in which an execution has ended, if any.
pub(crate) fn failure_of<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    options: &ExploreOptions,
) -> Option<Arc<Failure>> {
    match end_of(executor, state, options)? {
        End::Failed(failure) => Some(failure),
        End::Exit(_) => None,
    }
}

/// The failure that an exit is, if any.
pub(crate) fn check<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    exit: Exit,
    options: &ExploreOptions,
) -> Option<Failure> {
    let failure = |kind, message: String, span| Failure {
        kind,
        detail: FailureDetail::Plain,
        message,
        location: location(&executor.machine.program, span),
        thread: state.thread(ThreadId::MAIN).name.clone(),
        stack: Vec::new(),
        notes: Vec::new(),
        others: Vec::new(),
        wait: None,
    };
    if options.counted.contains(FailureKind::Exit) && exit.status != 0 {
        let span = ending_place(executor, state);
        return Some(failure(
            FailureKind::Exit,
            format!("the program exits with status {}", exit.status),
            span,
        ));
    }
    if options.counted.contains(FailureKind::UnfinishedThread)
        && let Some(unfinished) = unfinished_thread(executor, state, exit, &failure)
    {
        return Some(unfinished);
    }
    if let Some(expected) = executor.machine.options.expected_output.as_deref() {
        let written = executor.known_output(state);
        // Symbolic output is named by [`cannot_compare`].
        if written.is_concrete() && *written.bytes != *expected {
            let span = ending_place(executor, state);
            return Some(failure(FailureKind::Output, unexpected(&written.bytes, expected), span));
        }
    }
    if !options.counted.contains(FailureKind::Leak) {
        return None;
    }
    let counts = |detail| options.counted.has(FailureKind::Leak, detail);
    let leaked = if counts(FailureDetail::Plain) {
        leaks(executor, state, Registers::Lead, options.strict_leaks).0
    } else {
        Vec::new()
    };
    let Some(first) = leaked.first() else {
        let unfreed = || counts(FailureDetail::Unfreed).then(|| unfreed(executor, state, &failure)).flatten();
        let threads =
            || counts(FailureDetail::Thread).then(|| thread_leak(executor, state, &failure)).flatten();
        return unfreed().or_else(threads);
    };
    let bytes: u64 = leaked.iter().map(|object| object.size).sum();
    let more =
        if leaked.len() > 1 { format!(", and {} more objects", leaked.len() - 1) } else { String::new() };
    let message = format!(
        "memory leak: {} is never freed{more} ({bytes} bytes in all)",
        executor.describe_object(first)
    );
    let mut failure = failure(FailureKind::Leak, message, first.origin.span);
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

/// Where the program ended the process: a call, or `main` if that returned.
fn ending_place<E: Environment>(executor: &Executor<'_, E>, state: &State<E>) -> SpanId {
    let program = &executor.machine.program;
    let main = || program.main().map(|id| program.function(id).span);
    executor.own_position(state.thread(ThreadId::MAIN)).or_else(main).unwrap_or(SpanId::UNKNOWN)
}

/// Why the output of a process is not judged though something is expected of it, if that is so.
pub(crate) fn cannot_compare<E: Environment>(
    executor: &Executor<'_, E>,
    written: &Stretch,
) -> Option<Incomplete> {
    let is_open = executor.machine.options.expected_output.is_some() && !written.is_concrete();
    is_open.then(|| Incomplete {
        reason: IncompleteReason::SymbolicOutput,
        what: "standard output depends on symbolic inputs and was not compared with the expected output"
            .into(),
        span: SpanId::UNKNOWN,
    })
}

/// Where output is not what is expected.
fn unexpected(written: &[u8], expected: &[u8]) -> String {
    let lines = |text: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(text).split('\n').map(str::to_owned).collect()
    };
    let (mine, theirs) = (lines(written), lines(expected));
    let same = mine.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
    let told = |lines: &[String]| match lines.get(same) {
        Some(line) if !line.is_empty() || same + 1 < lines.len() => format!("`{}`", line.escape_debug()),
        _ => "nothing".into(),
    };
    format!("line {} of standard output is {}, expected was {}", same + 1, told(&mine), told(&theirs))
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
fn unfreed<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    failure: &impl Fn(FailureKind, String, SpanId) -> Failure,
) -> Option<Failure> {
    let live = live(state);
    let mut objects = live.iter().filter_map(|cell| state.memory.get(*cell));
    let first = objects.find(|object| is_programs_own(executor, object))?;
    let message = format!(
        "memory is not freed: {} is allocated when the process ends",
        executor.describe_object(first)
    );
    Some(Failure { detail: FailureDetail::Unfreed, ..failure(FailureKind::Leak, message, first.origin.span) })
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
    Some(Incomplete { reason: IncompleteReason::UncheckedFailure, what, span: SpanId::UNKNOWN })
}

/// A thread that has ended keeps its stack and its result until it is joined or detached.
fn thread_leak<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    failure: &impl Fn(FailureKind, String, SpanId) -> Failure,
) -> Option<Failure> {
    let leaked = executor.machine.environment.unjoined_threads(state);
    let (thread, created) = *leaked.first()?;
    let more = if leaked.len() > 1 { format!(", nor are {} more", leaked.len() - 1) } else { String::new() };
    let title = executor.title(state, thread);
    let message = format!("thread leak: {title} is never joined or detached{more}");
    Some(Failure { detail: FailureDetail::Thread, ..failure(FailureKind::Leak, message, created) })
}

/// A thread that has not ended when another one ends the process.
fn unfinished_thread<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    exit: Exit,
    failure: &impl Fn(FailureKind, String, SpanId) -> Failure,
) -> Option<Failure> {
    let is_unfinished = |thread: &&Arc<Thread<E>>| {
        let is_programs_own = thread.id != ThreadId::MAIN && !thread.service && !thread.is_to_come;
        is_programs_own && !thread.exited && exit.by != Some(thread.id)
    };
    let unfinished: Vec<_> = state.threads.iter().filter(is_unfinished).collect();
    let first = unfinished.first()?;
    let more =
        if unfinished.len() > 1 { format!(" and {} more", unfinished.len() - 1) } else { String::new() };
    let message =
        format!("unfinished thread: the process ends before {}{more}", executor.title(state, first.id));
    let mut failure = failure(FailureKind::UnfinishedThread, message, ending_place(executor, state));
    failure.notes = unfinished
        .iter()
        .take(10)
        .filter_map(|thread| {
            Some(Note {
                message: format!("{} has come to here", executor.title(state, thread.id)),
                location: location(&executor.machine.program, executor.own_position(thread)?),
                thread: Some(thread.name.clone()),
                stack: Vec::new(),
            })
        })
        .collect();
    Some(failure)
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
