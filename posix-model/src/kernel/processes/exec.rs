//! `execve` of the program itself: a new address space, with the descriptors that are not closed.

use crate::answer::{PosixCall, Step, Turn, announced_synchronisation, failed};
use crate::errno::{E2BIG, EFAULT, ENOENT};
use crate::kernel::Kernel;
use crate::kernel::processes::let_go;
use crate::kernel::system_calls::argument;
use crate::options::PROGRAM_LINK;
use crate::places::{SETTINGS, SIGNALS, end_of, release, write};
use crate::sync::mutex;
use crate::threads::{ThreadRecord, record, store};
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::Shared;
use symx_interp::environment::{Environment, Outcome};
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::ModelledFunction;
use symx_interp::value::Value;
use symx_trace::{CallEffect, Footprint};

/// What `execve` passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Its strings, the first of which names the program.
    pub arguments: Vec<Vec<u8>>,
    /// The strings of the environment.
    pub environment: Vec<Vec<u8>>,
}

/// Strings that a vector may have.
const MOST_STRINGS: u64 = 1 << 12;

static EXECUTION: ModelledFunction = ModelledFunction::internal("program start", CallEffect::Other);

/// `execve(path, arguments, environment)`.
///
/// As on Linux, a parent that has lent its memory goes on before descriptors are closed.
pub(crate) fn execute(call: &mut PosixCall<'_, '_>) -> Step {
    let image = match call.bookkeeping().own.process.executing.clone() {
        Some(image) => image,
        None => match enter(call)? {
            Turn::Go(image) => image,
            Turn::Answer(answer) => return answer,
        },
    };
    if let Some(park) = let_go::close(call, closed_first)? {
        return Ok(park);
    }
    begin(call, image)?;
    Ok(Outcome::Unwind(Value::Concrete(0)))
}

/// Leaves the program that the process has been for another, if it can.
fn enter(call: &mut PosixCall<'_, '_>) -> Result<Turn<Arc<Image>>, Stop> {
    let (path, arguments, environment) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    if path == 0 {
        return Ok(Turn::Answer(failed(EFAULT)));
    }
    let path = call.read_string(path)?;
    if path.is_empty() {
        return Ok(Turn::Answer(failed(ENOENT)));
    }
    refuse(call, &path)?;
    let (Some(arguments), Some(environment)) = (strings(call, arguments)?, strings(call, environment)?)
    else {
        return Ok(Turn::Answer(failed(E2BIG)));
    };
    let (me, process) = (call.thread(), call.process());
    let abandoned = mutex::abandoned_by(call, &[me]);
    let mut footprint: Footprint = smallvec![write(SETTINGS), write(SIGNALS)];
    footprint.extend(let_go::touched_by_leaving(&abandoned));
    if call.bookkeeping().processes.is_awaited(process) {
        footprint.push(release(end_of(process)));
    }
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(Turn::Answer(Ok(park)));
    }
    let_go::leave(call, &abandoned);
    let image = Arc::new(Image { arguments, environment });
    call.data().own.process.executing = Some(image.clone());
    Ok(Turn::Go(image))
}

/// Refuses by name what cannot be executed.
fn refuse(call: &mut PosixCall<'_, '_>, path: &[u8]) -> Result<(), Stop> {
    if !is_program(call, path) {
        let path = String::from_utf8_lossy(path);
        // Libc runs it for these.
        let instead = match &*path {
            "/bin/sh" => "; the program may define `system` or `popen` itself",
            _ => "",
        };
        return Err(call.unsupported(format!("execve of another program, `{path}`{instead}")));
    }
    if call.others_go_on() {
        return Err(call.unsupported("execve while other threads run"));
    }
    if call.process_has_services() {
        return Err(call.unsupported("execve in a process with timers"));
    }
    match call.refuses_fork() {
        Some(what) => Err(call.unsupported(what.replacen("fork", "execve", 1))),
        None => Ok(()),
    }
}

/// Whether a path leads to the program.
fn is_program(call: &PosixCall<'_, '_>, path: &[u8]) -> bool {
    let plain = |path: &[u8]| path.strip_prefix(b"./").unwrap_or(path).to_vec();
    let options = call.environment().options();
    let first = options.arguments.first();
    path == PROGRAM_LINK
        || path == options.program_path()
        || first.is_some_and(|first| plain(first) == plain(path))
}

/// The strings of a vector that ends with a null pointer.
fn strings(call: &mut PosixCall<'_, '_>, vector: u64) -> Result<Option<Vec<Vec<u8>>>, Stop> {
    let mut strings = Vec::new();
    if vector == 0 {
        return Ok(Some(strings));
    }
    for index in 0..MOST_STRINGS {
        match call.read_number(vector + 8 * index, 8)? {
            0 => return Ok(Some(strings)),
            string => strings.push(call.read_string(string)?),
        }
    }
    Ok(None)
}

/// The descriptors that do not outlast an execution, in the order in which Linux closes them.
fn closed_first(kernel: &Kernel) -> Vec<u32> {
    let descriptors = &kernel.own.descriptors;
    descriptors.numbers().into_iter().filter(|descriptor| descriptors.closes_on_exec(*descriptor)).collect()
}

/// Puts a new program in the place of what the process has been.
fn begin(call: &mut PosixCall<'_, '_>, image: Arc<Image>) -> Result<(), Stop> {
    let me = call.thread();
    let_go::unmap(call)?;
    if call.has_forked() {
        let shared: Vec<u64> = call.bookkeeping().own.process.mapped.keys().copied().collect();
        for base in shared {
            call.detach_shared(base);
        }
    }
    call.data().execute(me, image);
    let nice = record(call, me).nice;
    store(call, me, Shared::new(ThreadRecord { nice, ..ThreadRecord::of_library() }));
    let first = call.environment().main_thread();
    call.execute_program((&EXECUTION, first));
    Ok(())
}
