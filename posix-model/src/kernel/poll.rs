//! Asking which descriptors are ready. Files always are; a pipe is when it would not make the caller wait.

use super::file_system::NodeKind;
use super::open_files::node_place;
use super::pipe::{PipeWait, is_pipe_ready};
use super::system_calls::{SystemCall, argument, call as row, name};
use crate::answer::{PosixCall, Step, announced, word};
use crate::places::{DESCRIPTORS, read};
use smallvec::smallvec;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Footprint;

pub(crate) const CALLS: &[SystemCall] = &[
    row(7, "poll", |call| {
        let limit = argument(call, 2)?;
        poll(call, limit as i32 >= 0)
    }),
    row(271, "ppoll", |call| {
        let limit = argument(call, 2)?;
        poll(call, limit != 0)
    }),
    row(23, "select", select),
    row(270, "pselect6", select),
];

const READABLE: u64 = 1;
const WRITABLE: u64 = 4;
const INVALID: u64 = 0x20;

/// Bytes of a `struct pollfd`: descriptor, events asked for, events found.
const ENTRY: u64 = 8;

/// What of `wanted` is ready at a descriptor.
fn readiness(call: &PosixCall<'_, '_>, descriptor: u32, wanted: u64) -> u64 {
    let kernel = &call.state().data.kernel;
    let Some(file) = kernel.open.file_of(descriptor) else { return INVALID };
    let node = kernel.open.get(file).node;
    let is_pipe = kernel.files.node(node).is_some_and(|node| matches!(node.kind, NodeKind::Pipe(_)));
    let ready = |reading| !is_pipe || is_pipe_ready(kernel, PipeWait { node, reading, room: 1 });
    let mut found = 0;
    if ready(true) {
        found |= READABLE;
    }
    if ready(false) {
        found |= WRITABLE;
    }
    found & wanted
}

fn footprint(call: &PosixCall<'_, '_>, descriptors: &[u32]) -> Footprint {
    let open = &call.state().data.kernel.open;
    let mut footprint: Footprint = smallvec![read(DESCRIPTORS)];
    let files = descriptors.iter().filter_map(|descriptor| open.file_of(*descriptor));
    footprint.extend(files.map(|file| read(node_place(open.get(file).node))));
    footprint
}

/// `poll(entries, count, limit)`. With a time limit the call never waits: when the thread is scheduled before
/// something is ready, the time is up.
fn poll(call: &mut PosixCall<'_, '_>, limited: bool) -> Step {
    let (entries, count) = (argument(call, 0)?, argument(call, 1)?);
    let mut asked = Vec::new();
    for index in 0..count {
        let entry = entries + ENTRY * index;
        asked.push((call.read_number(entry, 4)? as u32, call.read_number(entry + 4, 2)?));
    }
    let descriptors: Vec<u32> = asked.iter().map(|entry| entry.0).collect();
    let footprint = footprint(call, &descriptors);
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    let found: Vec<u64> = asked
        .into_iter()
        .map(
            |(descriptor, wanted)| {
                if (descriptor as i32) < 0 { 0 } else { readiness(call, descriptor, wanted) }
            },
        )
        .collect();
    let ready = found.iter().filter(|found| **found != 0).count();
    if ready == 0 && !limited {
        return waits(call);
    }
    for (index, found) in found.into_iter().enumerate() {
        call.write(entries + ENTRY * index as u64 + 6, 2, Value::Concrete(found))?;
    }
    word(ready as u64)
}

fn waits(call: &mut PosixCall<'_, '_>) -> Step {
    let name = name(call)?;
    Err(call.unsupported(format!("{name} that has to wait")))
}

/// The descriptors in the set at `address`, of those below `count`.
fn members(call: &mut PosixCall<'_, '_>, address: u64, count: u64) -> Result<Vec<u32>, Stop> {
    let mut members = Vec::new();
    if address != 0 {
        for descriptor in 0..count {
            let byte = call.read_number(address + descriptor / 8, 1)?;
            if byte >> (descriptor % 8) & 1 == 1 {
                members.push(descriptor as u32);
            }
        }
    }
    Ok(members)
}

/// `select(count, readable, writable, exceptional, limit)`.
fn select(call: &mut PosixCall<'_, '_>) -> Step {
    let count = argument(call, 0)?;
    let limited = argument(call, 4)? != 0;
    let mut sets = Vec::new();
    for (index, event) in [(1, READABLE), (2, WRITABLE), (3, 0)] {
        let address = argument(call, index)?;
        sets.push((address, event, members(call, address, count)?));
    }
    let descriptors: Vec<u32> = sets.iter().flat_map(|set| set.2.iter().copied()).collect();
    let footprint = footprint(call, &descriptors);
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    if descriptors.iter().any(|descriptor| readiness(call, *descriptor, READABLE) == INVALID) {
        return crate::answer::failed(crate::errno::EBADF);
    }
    for set in &mut sets {
        let event = set.1;
        set.2.retain(|descriptor| readiness(call, *descriptor, event) != 0);
    }
    let ready: usize = sets.iter().map(|set| set.2.len()).sum();
    if ready == 0 && !limited {
        return waits(call);
    }
    for (address, _, ready) in sets {
        if address != 0 {
            let mut bytes = vec![0_u8; count.div_ceil(8) as usize];
            for descriptor in ready {
                bytes[descriptor as usize / 8] |= 1 << (descriptor % 8);
            }
            call.write_bytes(address, &bytes)?;
        }
    }
    word(ready as u64)
}
