//! The streams of libc that are open: `fflush` of none and `exit` go through all of them.
//!
//! musl has one list under one lock, which would put all who open or close a stream into one order. Here that
//! touches the stream's class, and waits while a thread goes through the list: this takes the lock, and
//! touches all classes.

use crate::answer::{PosixCall, Step, nothing, touching, word};
use crate::row::{Row, row};
use crate::sync::library_lock;
use crate::sync::wait::PosixWait;
use imbl::OrdMap;
use std::ops::Bound::{Excluded, Unbounded};
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::{Access, CallEffect, Mode, Place};

pub(crate) const ROWS: &[Row] = &[
    row(&["__symx_stream_opened"], opened),
    row(&["__symx_stream_closed"], closed),
    row(&["__symx_lock_streams"], lock).which(CallEffect::Lock),
    row(&["__symx_unlock_streams"], unlock).which(CallEffect::Unlock),
    row(&["__symx_next_stream"], next),
];

/// Classes of streams, by the thread that opened them.
const CLASSES: u32 = 16;

/// The open streams, by address, with their classes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OpenStreams(OrdMap<u64, u32>);

impl OpenStreams {
    /// Their addresses.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.0.keys().copied()
    }
}

/// The number of the place of a class: no address of an object.
fn number(class: u32) -> u64 {
    1 << 56 | u64::from(class) << 1 | 1
}

fn access(class: u32, mode: Mode) -> Access {
    Access { place: Place::Object(number(class)), mode }
}

/// Stands before a change of the list in one class, whose lock is at `lock`, until it may be made.
fn stand_before(call: &mut PosixCall<'_, '_>, lock: u64, class: u32) -> Option<Step> {
    if call.phase() == 0 {
        let footprint = touching(access(class, Mode::Acquire));
        return Some(Ok(call.synchronise(footprint, Some(PosixWait::LibraryLock(lock)))));
    }
    call.acquire((number(class), 0));
    None
}

/// `__symx_stream_opened(lock, stream)`
fn opened(call: &mut PosixCall<'_, '_>) -> Step {
    let (lock, stream) = (call.argument(0)?, call.argument(1)?);
    let class = call.thread().0 % CLASSES;
    if let Some(park) = stand_before(call, lock, class) {
        return park;
    }
    call.data().own.streams.0.insert(stream, class);
    call.release((number(class), 0));
    nothing()
}

/// `__symx_stream_closed(lock, stream)`
fn closed(call: &mut PosixCall<'_, '_>) -> Step {
    let (lock, stream) = (call.argument(0)?, call.argument(1)?);
    let class = call.state().data.own.streams.0.get(&stream).copied().unwrap_or_default();
    if let Some(park) = stand_before(call, lock, class) {
        return park;
    }
    call.data().own.streams.0.remove(&stream);
    call.release((number(class), 0));
    nothing()
}

/// `__symx_lock_streams(lock)`
fn lock(call: &mut PosixCall<'_, '_>) -> Step {
    let lock = call.argument(0)?;
    if call.phase() == 0 {
        let footprint = (0..CLASSES).map(|class| access(class, Mode::Acquire)).collect();
        return Ok(call.synchronise(footprint, Some(PosixWait::LibraryLock(lock))));
    }
    for class in 0..CLASSES {
        call.acquire((number(class), 0));
    }
    library_lock::enter(call, lock)?;
    call.synchronises(Synchronisation::Lock(lock));
    nothing()
}

/// `__symx_unlock_streams(lock)`
fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let lock = call.argument(0)?;
    if call.phase() == 0 {
        let footprint = (0..CLASSES).map(|class| access(class, Mode::Release)).collect();
        return Ok(call.synchronise(footprint, None));
    }
    for class in 0..CLASSES {
        call.release((number(class), 0));
    }
    library_lock::leave(call, lock)?;
    call.synchronises(Synchronisation::Unlock(lock));
    nothing()
}

/// `__symx_next_stream(stream)`: the stream after this one, the first one for none, for a thread that has the
/// lock. The newest of each thread come first.
fn next(call: &mut PosixCall<'_, '_>) -> Step {
    let before = following(call)?;
    let streams = &call.state().data.own.streams.0;
    let next = streams.range((Unbounded, before)).next_back();
    word(next.map_or(0, |(stream, _)| *stream))
}

fn following(call: &mut PosixCall<'_, '_>) -> Result<std::ops::Bound<u64>, Stop> {
    let stream = call.argument(0)?;
    Ok(if stream == 0 { Unbounded } else { Excluded(stream) })
}
