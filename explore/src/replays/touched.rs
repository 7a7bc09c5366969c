//! What a step touches, for people: the kind of step, the object, the bytes there.

use smallvec::SmallVec;
use symx_interp::access::object_names::Names;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::state::processes::address_in_process;
use symx_interp::threads::thread::{Action, Thread};
use symx_interp::value::Byte;
use symx_ir::SourceName;
use symx_memmodel::ByteRange;
use symx_trace::explanation::PlaceInMemory;
use symx_trace::{Agent, Call, Event, EventKind, Mode, Place, ThreadId};

/// Streams from this number on are what files hold, not open files.
const FIRST_NODE: u64 = 1 << 63;

/// The kind of a thread's step; a call by its function's name for people.
pub(super) fn titled<E: Environment>(
    executor: &Executor<'_, E>,
    thread: &Thread<E>,
    kind: &EventKind,
) -> EventKind {
    match (kind, executor.call_title(thread)) {
        // A thread that has not begun is in no function yet.
        (EventKind::Call(call), Some(title)) if thread.pending.is_some() => {
            EventKind::Call(Call::new(title, call.effect))
        }
        _ => kind.clone(),
    }
}

/// The object of a step that is no access to memory: the memory or lock its footprint names first, and where
/// that is.
pub(super) fn object_of<E: Environment>(
    names: &Names,
    executor: &Executor<'_, E>,
    state: &State<E>,
    event: &Event,
) -> (SourceName, Option<PlaceInMemory>) {
    let at = |address: u64, length: u64| {
        let address = address_in_process(address);
        let place = place_of(state, address)?;
        Some((names.name(executor, state, address, length), Some(place)))
    };
    let named = event.footprint.iter().find_map(|access| match access.place {
        Place::Memory { start, end } => at(start, end - start),
        // Threads that sleep at an object wait at an odd place of its own.
        Place::Object(address)
        | Place::Readers(address)
        | Place::Life(address)
        | Place::Queue(address)
        | Place::Round { barrier: address, .. } => at(address & !1, 0),
        Place::Thread(other) if other.index() < state.threads.len() && access.mode == Mode::Acquire => {
            Some((SourceName::description(state.thread(other).name.label()), None))
        }
        _ => None,
    });
    let stream = || {
        event.footprint.iter().find_map(|access| match access.place {
            Place::Stream(number) if number < FIRST_NODE => Some(SourceName::description(match number {
                0 => "standard input".to_owned(),
                1 => "standard output".to_owned(),
                2 => "standard error".to_owned(),
                number => format!("open file {number}"),
            })),
            _ => None,
        })
    };
    match event.kind {
        EventKind::Free => {
            named.unwrap_or_else(|| (SourceName::description(event.object.replace('`', "")), None))
        }
        _ => named.or_else(|| Some((stream()?, None))).unwrap_or_default(),
    }
}

/// Which object an address is in or near, and how far into it.
pub(super) fn place_of<E: Environment>(state: &State<E>, address: u64) -> Option<PlaceInMemory> {
    let object = state.memory.near(address)?.base;
    Some(PlaceInMemory { object, offset: address.wrapping_sub(object) })
}

/// The access to memory that the next step of a thread is: address, length, whether it
/// reads, whether it writes.
pub(super) fn access_of<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    agent: Agent,
) -> Option<(u64, u64, bool, bool)> {
    if agent.is_buffer() {
        return None;
    }
    match state.thread(agent.thread()).pending.as_ref()?.action {
        Action::Load { address, length, .. } => Some((address, length, true, false)),
        Action::Store { address, length, .. } => Some((address, length, false, true)),
        Action::ReadModifyWrite { address, length, .. } => Some((address, length, true, true)),
        _ => {
            let footprint = executor.own_footprint(state, agent);
            footprint.iter().find_map(|access| match (access.place, access.mode) {
                (Place::Memory { start, end }, mode) => {
                    Some((address_in_process(start), end - start, mode == Mode::Read, mode != Mode::Read))
                }
                _ => None,
            })
        }
    }
}

/// The bytes a thread sees; none if they are many or not there.
pub(super) fn bytes<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    address: u64,
    length: u64,
) -> SmallVec<[Byte; 8]> {
    let range = ByteRange::new(address, length);
    let Some(mut bytes) = executor.in_memory(state, range).filter(|_| length <= 8) else {
        return SmallVec::new();
    };
    for forwarded in state.thread(thread).buffer.forward(range) {
        bytes[forwarded.offset as usize] = *forwarded.value;
    }
    bytes
}
