//! What is checked when a process has ended normally: leaks, its exit status and its output, where asked for.

use crate::ExploreOptions;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::memory::{Life, Object, SiteKind};
use symx_interp::report::location;
use symx_interp::state::{End, State};
use symx_interp::stop::Incomplete;
use symx_interp::threads::thread::Activation;
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::failure::Note;
use symx_trace::{
    Access, Agent, Failure, FailureDetail, FailureKind, Footprint, IncompleteReason, Mode, Place, ThreadId,
};

/// What the next step of `agent` touches. Where leaks count, a step that ends the process touches everything:
/// which threads have ended by then, and what they still point to, is looked at.
pub(crate) fn footprint<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
    options: &ExploreOptions,
) -> Footprint {
    let mut footprint = executor.footprint(state, agent);
    if let Agent::Thread(thread) = agent
        && options.counted.contains(FailureKind::Leak)
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
        Some(End::Exit(status)) => {
            let failure = check(executor, state, status, options);
            Some(failure.map_or(End::Exit(status), |failure| End::Failed(Arc::new(failure))))
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

/// The failure that ending with `status` is, if any.
pub(crate) fn check<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    status: u8,
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
    if options.counted.contains(FailureKind::Exit) && status != 0 {
        let span = ending_place(executor, state);
        return Some(failure(FailureKind::Exit, format!("the program exits with status {status}"), span));
    }
    if let Some(expected) = executor.machine.options.expected_output.as_deref() {
        let written = executor.known_output(state);
        // What is symbolic is named by [`cannot_compare`].
        if written.is_concrete() && *written.bytes != *expected {
            let span = ending_place(executor, state);
            return Some(failure(FailureKind::Output, unexpected(&written.bytes, expected), span));
        }
    }
    if !options.counted.contains(FailureKind::Leak) {
        return None;
    }
    let leaked = leaks(executor, state);
    let Some(first) = leaked.first() else { return thread_leak(executor, state, failure) };
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
    let main = || program.function_named("main").map(|id| program.function(id).span);
    executor.own_position(state.thread(ThreadId::MAIN)).or_else(main).unwrap_or(SpanId::UNKNOWN)
}

/// Why nothing is said of a process's output though something is expected of it, if that is so.
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

/// A thread that has ended keeps its stack and its result until it is joined or detached.
fn thread_leak<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    failure: impl Fn(FailureKind, String, SpanId) -> Failure,
) -> Option<Failure> {
    let leaked = executor.machine.environment.unjoined_threads(state);
    let (thread, created) = *leaked.first()?;
    let more = if leaked.len() > 1 { format!(", nor are {} more", leaked.len() - 1) } else { String::new() };
    let title = executor.title(state, thread);
    let message = format!("thread leak: {title} is never joined or detached{more}");
    Some(Failure { detail: FailureDetail::Thread, ..failure(FailureKind::Leak, message, created) })
}

/// What the registers of all threads hold: a process that calls `exit` has not returned from its functions.
fn registers<E: Environment>(state: &State<E>) -> impl Iterator<Item = u64> + '_ {
    let activations = state.threads.iter().flat_map(|thread| &thread.stack);
    activations.flat_map(|activation| match activation {
        Activation::Program(frame) => frame.registers().to_vec(),
        Activation::Model(frame) => frame.arguments.iter().filter_map(|value| value.concrete()).collect(),
    })
}

/// Live heap objects that no pointer leads to, starting from globals, thread-locals, stacks, registers and
/// the environment's own. A word anywhere in an object counts as a pointer if it points into a live object.
fn leaks<'s, E: Environment>(executor: &Executor<'_, E>, state: &'s State<E>) -> Vec<&'s Object> {
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
    for address in executor.machine.environment.roots(&state.data).into_iter().chain(registers(state)) {
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
        let mut offset = object.base.next_multiple_of(8) - object.base;
        while object.contains(offset, 8) {
            let word = if object.has_symbolic(offset, 8) { 0 } else { object.read_word(offset, 8) };
            if let Some(target) = Cell::of(word)
                && state.memory.get(target).is_some()
                && reached.insert(target)
            {
                open.push(target);
            }
            offset += 8;
        }
    }
    heap.iter().filter(|cell| !reached.contains(cell)).filter_map(|cell| state.memory.get(*cell)).collect()
}
