//! `execve` of the program itself: a new address space, with the descriptors that are not closed.

use crate::answer::{PosixCall, Step, announced_synchronisation, failed};
use crate::errno::{E2BIG, EFAULT, ENOENT};
use crate::kernel::files::closing;
use crate::kernel::mappings::{end_copy, unmap_all};
use crate::kernel::nodes::events::refuse_lost;
use crate::kernel::system_calls::argument;
use crate::options::PROGRAM_LINK;
use crate::places::{SETTINGS, SIGNALS, end_of, release, write};
use crate::threads::{ThreadRecord, record, store};
use smallvec::smallvec;
use symx_interp::Shared;
use symx_interp::environment::{Environment, Outcome};
use symx_interp::stop::Stop;
use symx_interp::threads::modelled::ModelledFunction;
use symx_interp::value::Value;
use symx_trace::{CallEffect, Footprint};

/// Strings that a vector may have.
const MOST_STRINGS: u64 = 1 << 12;

static EXECUTION: ModelledFunction = ModelledFunction::internal("program start", CallEffect::Other);

/// `execve(path, arguments, environment)`.
pub(crate) fn execute(call: &mut PosixCall<'_, '_>) -> Step {
    let (path, arguments, environment) = (argument(call, 0)?, argument(call, 1)?, argument(call, 2)?);
    if path == 0 {
        return failed(EFAULT);
    }
    let path = call.read_string(path)?;
    if path.is_empty() {
        return failed(ENOENT);
    }
    if !is_program(call, &path) {
        let path = String::from_utf8_lossy(&path);
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
    if let Some(what) = call.refuses_fork() {
        return Err(call.unsupported(what.replacen("fork", "execve", 1)));
    }
    let (Some(arguments), Some(environment)) = (strings(call, arguments)?, strings(call, environment)?)
    else {
        return failed(E2BIG);
    };
    let closed = closed_descriptors(call);
    let process = call.process();
    let kernel = &call.bookkeeping().kernel;
    let mut footprint: Footprint = smallvec![write(SETTINGS), write(SIGNALS)];
    if call.bookkeeping().processes.is_awaited(process) {
        footprint.push(release(end_of(process)));
    }
    for descriptor in &closed {
        footprint.extend(closing::footprint_of_closing(kernel, *descriptor));
    }
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    call.data().processes.change(process, |record| record.is_awaited = false);
    begin(call, &closed, arguments, environment)?;
    Ok(Outcome::Unwind(Value::Concrete(0)))
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

/// The descriptors that do not outlast an execution.
fn closed_descriptors(call: &PosixCall<'_, '_>) -> Vec<u32> {
    let descriptors = &call.bookkeeping().kernel.own.descriptors;
    descriptors.numbers().into_iter().filter(|descriptor| descriptors.closes_on_exec(*descriptor)).collect()
}

/// Puts a new program in the place of what the process has been.
fn begin(
    call: &mut PosixCall<'_, '_>,
    closed: &[u32],
    arguments: Vec<Vec<u8>>,
    environment: Vec<Vec<u8>>,
) -> Result<(), Stop> {
    let me = call.thread();
    for descriptor in closed {
        if let Some(file) = call.bookkeeping().kernel.file_of(*descriptor) {
            refuse_lost(call, file)?;
        }
        closing::close(call, *descriptor);
    }
    let copies: Vec<(u64, u64)> =
        call.bookkeeping().kernel.own.copies.iter().map(|(address, file)| (*address, *file)).collect();
    for (address, file) in copies {
        end_copy(&mut call.data().kernel, address, file);
    }
    unmap_all(call)?;
    call.data().execute(me, (arguments, environment));
    let nice = record(call, me).nice;
    store(call, me, Shared::new(ThreadRecord { nice, ..ThreadRecord::of_library() }));
    let first = call.environment().main_thread();
    call.execute_program((&EXECUTION, first));
    Ok(())
}
