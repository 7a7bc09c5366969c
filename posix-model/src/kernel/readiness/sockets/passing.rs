//! What messages between local sockets pass besides bytes: open files (`SCM_RIGHTS`), and who sent them
//! (`SCM_CREDENTIALS`, `SO_PASSCRED`). Programs give and get it as control data.

use crate::answer::{PosixCall, Turn};
use crate::errno::{EBADF, EINVAL, EPERM};
use crate::kernel::Kernel;
use crate::kernel::buffers::Buffer;
use crate::kernel::nodes::closing::{ANY_END, footprint_of_letting_go, let_go, received_by};
use crate::kernel::nodes::descriptors::{Opener, descriptor_place};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::pipe_buffer::Extras;
use crate::kernel::nodes::socket::{Family, Role, Socket};
use crate::kernel::nodes::{connection_of, socket_of, sockets};
use crate::kernel::process::USER;
use crate::kernel::readiness::pipe;
use crate::kernel::readiness::sockets::named;
use crate::kernel::system_calls::argument;
use crate::places::{file_place, node_place, read, write};
use crate::threads::process_numbers::{own_number, process_number};
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_trace::Access;

/// The level of control data that is a socket's, and its kinds.
const SOCKET: u32 = 1;
const FILES: u32 = 1;
const SENDER: u32 = 2;
/// Bytes before the data: length, level and kind.
const HEAD: usize = 16;
/// Bytes of a `struct ucred`.
const CREDENTIALS: usize = 12;
/// Files that a message passes at most.
const MOST_FILES: usize = 253;
/// Bytes of control data that are looked at.
const MOST: u64 = 20_480;
/// The user and the group of a sender that is not known.
const UNKNOWN: u32 = 65_534;
/// The flag that control data had no room.
pub(super) const CUT: u64 = 8;

// Where a `struct msghdr` has the address and the length of control data.
const ADDRESS: u64 = 32;
const LENGTH: u64 = 40;

/// What a call is to pass.
#[derive(Default)]
pub(super) struct Given {
    descriptors: Vec<u32>,
    /// Whether it says who sends.
    tells_sender: bool,
}

/// The control data of the `struct msghdr` in argument 1, or the error of its being none.
pub(super) fn given(call: &mut PosixCall<'_, '_>) -> Result<Result<Given, i32>, Stop> {
    let (message, mut given) = (argument(call, 1)?, Given::default());
    let length = call.read_number(message + LENGTH, 8)?;
    let Turn::Go((_, socket)) = named(call)? else { return Ok(Ok(given)) };
    if length < HEAD as u64 {
        return Ok(Ok(given));
    }
    let address = call.read_number(message + ADDRESS, 8)?;
    let bytes = call.read_bytes(address, length.min(MOST))?;
    let mut rest = bytes.as_slice();
    while let Some(head) = rest.first_chunk::<HEAD>() {
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, level, kind) = (number(0) as usize, number(8), number(12));
        if number(4) != 0 || length < HEAD || length > rest.len() {
            return Ok(Err(EINVAL));
        }
        let data = &rest[HEAD..length];
        match (level, kind) {
            // Between sockets of the internet, these mean nothing.
            (SOCKET, FILES | SENDER) if socket.family != Family::Local => {}
            _ if socket.family != Family::Local => {
                let what = format!("sending control data of kind {kind} at level {level}");
                return Err(call.unsupported(what));
            }
            (SOCKET, FILES) => {
                let numbers = data.chunks_exact(4).map(|number| number.try_into().unwrap_or_default());
                given.descriptors.extend(numbers.map(u32::from_le_bytes));
            }
            (SOCKET, SENDER) if data.len() != CREDENTIALS => return Ok(Err(EINVAL)),
            (SOCKET, SENDER) if data != credentials(own_number(call) as u32, USER as u32) => {
                return Ok(Err(EPERM));
            }
            (SOCKET, SENDER) => given.tells_sender = true,
            (SOCKET, _) => return Ok(Err(EINVAL)),
            _ => {}
        }
        rest = rest.get(length.next_multiple_of(8)..).unwrap_or_default();
    }
    Ok(if given.descriptors.len() > MOST_FILES { Err(EINVAL) } else { Ok(given) })
}

/// A `struct ucred` of a process whose user and group have the same number.
fn credentials(process: u32, user: u32) -> [u8; CREDENTIALS] {
    let mut bytes = [0; CREDENTIALS];
    for (at, number) in [process, user, user].into_iter().enumerate() {
        bytes[4 * at..][..4].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// What passing it touches.
pub(super) fn touched_by_passing(call: &PosixCall<'_, '_>, given: &Given) -> Vec<Access> {
    let kernel = &call.state().data.kernel;
    let mut touched = Vec::new();
    for descriptor in &given.descriptors {
        touched.push(read(descriptor_place(*descriptor)));
        if let Some(file) = kernel.file_of(*descriptor) {
            let node = kernel.open.get(file).node;
            touched.extend([write(file_place(file)), read(node_place(node))]);
            touched.extend(crate::kernel::nodes::pipes_of(kernel, node).map(|pipe| read(node_place(pipe))));
        }
    }
    touched
}

/// What a message that `socket` sends to the pipe or the socket `to` passes, after an announcement.
pub(super) fn extras(
    call: &PosixCall<'_, '_>,
    socket: &Socket,
    to: Option<u64>,
    given: &Given,
) -> Result<Result<Extras, i32>, Stop> {
    let kernel = &call.state().data.kernel;
    let receiver = to.and_then(|to| receiver(kernel, to));
    let mut files = Vec::new();
    for descriptor in &given.descriptors {
        let Some(file) = kernel.file_of(*descriptor) else { return Ok(Err(EBADF)) };
        let node = kernel.open.get(file).node;
        let would_keep_itself = match socket_of(kernel, node) {
            Some(Socket { role: Role::Listening { waiting, .. }, .. }) => !waiting.is_empty(),
            _ => Some(node) == receiver,
        };
        if would_keep_itself || !received_by(kernel, node).is_empty() {
            return Err(call.unsupported("passing a socket that files are being passed to (SCM_RIGHTS)"));
        }
        if call.has_forked() && matches!(kernel.files.kind(node), Some(NodeKind::Timer(_))) {
            return Err(call.unsupported("passing a timer's descriptor beside other processes (SCM_RIGHTS)"));
        }
        files.push(file);
    }
    let asks = receiver.and_then(|receiver| socket_of(kernel, receiver));
    let asks = asks.is_some_and(|receiver| receiver.options.asks_for_sender);
    let is_told = given.tells_sender || socket.options.asks_for_sender || asks;
    let is_local = socket.family == Family::Local;
    Ok(Ok(Extras { files, sender: (is_told && is_local).then(|| call.process()) }))
}

/// The socket that gets what is sent to a pipe, or to itself.
fn receiver(kernel: &Kernel, to: u64) -> Option<u64> {
    match socket_of(kernel, to) {
        Some(_) => Some(to),
        None => {
            sockets(kernel).find(|node| connection_of(kernel, *node).is_some_and(|side| side.receive == to))
        }
    }
}

/// What comes with the next `count` bytes that are received at the socket `node`.
pub(super) fn coming(kernel: &Kernel, node: u64, count: u64) -> Extras {
    let Some(socket) = socket_of(kernel, node) else { return Extras::default() };
    match &socket.role {
        Role::Connected(side) => {
            let count = if socket.records { 1 } else { count };
            pipe::next(kernel, side.receive, count, socket.options.asks_for_sender).1
        }
        Role::Datagrams(inbox) => inbox.queue.front().map(|first| first.extras.clone()).unwrap_or_default(),
        Role::Fresh | Role::Listening { .. } => Extras::default(),
    }
}

/// What receiving `count` bytes at the descriptor in argument 0 touches besides: files that come with them
/// get a descriptor if it `installs` them, and may be closed.
pub(crate) fn touched_by_receiving(
    call: &mut PosixCall<'_, '_>,
    count: u64,
    installs: bool,
) -> Result<Vec<Access>, Stop> {
    let descriptor = argument(call, 0)? as u32;
    let kernel = &call.state().data.kernel;
    // What is on its way is looked at behind the announcement, which orders that.
    let node = kernel.node_of(descriptor).filter(|_| call.phase() > 0);
    let Some(node) = node else { return Ok(Vec::new()) };
    let files = coming(kernel, node, count).files;
    let mut touched: Vec<Access> =
        files.iter().flat_map(|file| footprint_of_letting_go(kernel, *file)).collect();
    touched.extend((!files.is_empty()).then_some(ANY_END));
    if installs && !files.is_empty() {
        touched.extend(Opener::of(call).touched());
    }
    Ok(touched)
}

/// Whether control data may come with the next `count` bytes at the descriptor in argument 0.
pub(super) fn comes_with_more(call: &mut PosixCall<'_, '_>, count: u64) -> Result<bool, Stop> {
    let Turn::Go((node, socket)) = named(call)? else { return Ok(false) };
    let files = coming(&call.state().data.kernel, node, count).files;
    Ok(socket.options.asks_for_sender || !files.is_empty())
}

/// Where the `struct msghdr` in argument 1 has room for control data.
pub(super) fn room(call: &mut PosixCall<'_, '_>) -> Result<Buffer, Stop> {
    let message = argument(call, 1)?;
    let address = call.read_number(message + ADDRESS, 8)?;
    let length = if address == 0 { 0 } else { call.read_number(message + LENGTH, 8)? };
    Ok((address, length, Purpose::Write))
}

/// Lets go of files that have come and are not kept.
pub(crate) fn discard(call: &mut PosixCall<'_, '_>, files: &[u64]) {
    for file in files {
        let_go(&mut call.data().kernel, *file);
    }
}

/// Puts what has come into the `room` for control data: how much of that it takes, and flags of the message.
/// Files get descriptors, as many as there is room for.
pub(super) fn put(
    call: &mut PosixCall<'_, '_>,
    room: (u64, u64),
    extras: &Extras,
    asks_for_sender: bool,
    close_on_exec: bool,
) -> Result<(u64, u64), Stop> {
    let (address, length) = room;
    let (mut used, mut flags) = (0, 0);
    if asks_for_sender {
        let (process, user) = match extras.sender {
            Some(process) => (process_number(process) as u32, USER as u32),
            None => (0, UNKNOWN),
        };
        let data = credentials(process, user);
        let fits = (length as usize).min(HEAD + CREDENTIALS);
        flags |= if fits < HEAD + CREDENTIALS { CUT } else { 0 };
        if fits >= HEAD {
            put_one(call, address, SENDER, &data[..fits - HEAD])?;
            used = length.min((HEAD + CREDENTIALS).next_multiple_of(8) as u64);
        }
    }
    let most = (length - used).saturating_sub(HEAD as u64) / 4;
    let opener = Opener::of(call);
    let mut descriptors: Vec<u8> = Vec::new();
    let mut count = 0;
    for file in extras.files.iter().take(most as usize) {
        let kernel = &mut call.data().kernel;
        let Ok(free) = kernel.free_from(opener, 0) else { break };
        kernel.bind(opener.thread, free, *file, close_on_exec);
        descriptors.extend(free.to_le_bytes());
        count += 1;
    }
    if count > 0 {
        put_one(call, address + used, FILES, &descriptors)?;
        used += (length - used).min((HEAD + descriptors.len()).next_multiple_of(8) as u64);
    }
    flags |= if count < extras.files.len() { CUT } else { 0 };
    Ok((used, flags))
}

/// Writes one piece of control data.
fn put_one(call: &mut PosixCall<'_, '_>, address: u64, kind: u32, data: &[u8]) -> Result<(), Stop> {
    let mut bytes = ((HEAD + data.len()) as u64).to_le_bytes().to_vec();
    bytes.extend(SOCKET.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(data);
    call.has_written(address, bytes.len() as u64);
    call.write_bytes(address, &bytes)
}
