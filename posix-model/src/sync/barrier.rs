//! `pthread_barrier_t`.
//!
//! Of arrivals only the last one can be distinguished. It is by its result, or by the threads of a round, if
//! more come than it waits for. Where neither is so, arrivals commute.

use crate::answer::{PosixCall, Step, announced, int, touching};
use crate::errno::EINVAL;
use crate::places::{follow, post, release, wake_up};
use crate::row::{Row, row};
use crate::sync::attributes::{self, SHARED};
use crate::sync::object::SyncObject;
use crate::sync::wait::PosixWait;
use smallvec::smallvec;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::{Access, CallEffect, FailureDetail, FailureKind, Mode, Place, ThreadId};

/// A barrier.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Barrier {
    /// How many must arrive.
    pub count: u32,
    /// How many have, in this round.
    pub arrived: u32,
    /// Rounds completed.
    pub round: u64,
    destroyed: bool,
}

impl SyncObject for Barrier {
    const PLURAL: &'static str = "barriers";

    fn copied(&self, _parent: ThreadId, _child: ThreadId) -> Self {
        self.clone()
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_barrier_init"], initialise),
    row(&["pthread_barrier_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_barrier_wait"], wait).which(CallEffect::BarrierWait),
    row(&["pthread_barrierattr_init"], attributes::initialise),
    row(&["pthread_barrierattr_destroy"], attributes::destroy),
    row(&["pthread_barrierattr_setpshared"], |call| attributes::set(call, SHARED)),
    row(&["pthread_barrierattr_getpshared"], |call| attributes::get(call, SHARED)),
];

/// Bytes of a `pthread_barrier_t`, in glibc and musl alike.
const EXTENT: u64 = 32;
/// The result of one of the threads (`PTHREAD_BARRIER_SERIAL_THREAD`): the last to arrive.
const SERIAL_THREAD: i32 = -1;

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<Barrier, Stop> {
    call.object(address, EXTENT, Purpose::Read)?;
    match call.state().data.own.sync.barriers.get(&address).cloned() {
        None if call.phase() == 0 => Ok(Barrier { count: 1, arrived: 0, round: 0, destroyed: true }),
        // The behaviour of a machine is unknown.
        None => {
            let message = "use of a barrier that was never initialised";
            Err(call.fault(FailureKind::SyncMisuse, FailureDetail::Uninitialised, message))
        }
        Some(barrier) => {
            if barrier.destroyed && call.phase() > 0 {
                call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed barrier")?;
            }
            Ok(barrier)
        }
    }
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, count) = (call.argument(0)?, call.argument(2)? as u32);
    call.object(address, EXTENT, Purpose::Write)?;
    if count == 0 || count > i32::MAX as u32 {
        return int(EINVAL);
    }
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    let old = call.state().data.own.sync.barriers.get(&address);
    // Threads that wait then wait for the end of the round that begins; those that have only to go on need
    // not.
    let round = old.map_or(0, |barrier| barrier.round);
    if old.is_some_and(|barrier| barrier.arrived > 0) {
        call.misuse(FailureDetail::InitWaited, "initialisation of a barrier at which threads wait")?;
    }
    let barrier = Barrier { count, arrived: 0, round, destroyed: false };
    call.data().own.sync.barriers.insert(address, barrier);
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let mut barrier = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if barrier.arrived > 0 {
        let message = "destroy of a barrier at which threads wait";
        return Err(call.fault(FailureKind::SyncMisuse, FailureDetail::DestroyWaited, message));
    }
    barrier.destroyed = true;
    call.data().own.sync.barriers.insert(address, barrier);
    int(0)
}

/// Where a round of the barrier at `address` is waited for.
fn round_at(address: u64, round: u64) -> Place {
    Place::Round { barrier: address, round }
}

/// Whether the program distinguishes the last thread to arrive from the others.
fn distinguishes_last(call: &mut PosixCall<'_, '_>) -> bool {
    call.distinguishes_results(0, u64::from(SERIAL_THREAD as u32))
}

/// Whether it shows which thread was the last: to the program, or in the paths that threads take.
fn shows_last(call: &mut PosixCall<'_, '_>) -> bool {
    call.watches_edges() && call.is_result_used() || distinguishes_last(call)
}

fn wait(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    match call.phase() {
        0 => {
            let barrier = find(call, address)?;
            let width = Some(barrier.count).filter(|_| !barrier.destroyed);
            let is_crowded = call.gathers_at(address, width);
            let mode = if shows_last(call) { Mode::Write } else { Mode::Read };
            // If no more threads come than the barrier waits for, this one comes to no later round than the
            // present one. It takes part in each, or that waits forever.
            let footprint = match is_crowded {
                true => smallvec![Access::object(address, Mode::Write), post(wake_up(address))],
                false => smallvec![Access::object(address, mode), release(round_at(address, barrier.round))],
            };
            let round = if is_crowded { 0 } else { barrier.round };
            *call.scratch() = smallvec![u64::from(is_crowded), round];
            Ok(call.synchronise(footprint, None))
        }
        1 => {
            let mut barrier = find(call, address)?;
            let (is_crowded, announced) = (call.scratch()[0] != 0, call.scratch()[1]);
            call.gathers_at(address, Some(barrier.count));
            if !is_crowded && announced != barrier.round {
                call.is_crowded(address);
            }
            barrier.arrived += 1;
            let round = barrier.round;
            call.release((address, round));
            call.synchronises(Synchronisation::BarrierArrive { barrier: address, width: barrier.count });
            let complete = barrier.arrived == barrier.count;
            if complete {
                barrier.round += 1;
                barrier.arrived = 0;
            }
            call.data().own.sync.barriers.insert(address, barrier);
            if complete && distinguishes_last(call) {
                call.acquire((address, round));
                call.synchronises(Synchronisation::BarrierPass(address));
                return int(SERIAL_THREAD);
            }
            *call.scratch() = smallvec![round, u64::from(complete && shows_last(call))];
            // Leaving the barrier changes nothing, so it commutes with others' leaving.
            let place = if is_crowded { wake_up(address) } else { round_at(address, round) };
            let wait = PosixWait::Barrier { barrier: address, round };
            Ok(call.synchronise(smallvec![follow(place)], Some(wait)))
        }
        _ => {
            let round = call.scratch()[0];
            call.acquire((address, round));
            call.synchronises(Synchronisation::BarrierPass(address));
            int(if call.scratch()[1] != 0 { SERIAL_THREAD } else { 0 })
        }
    }
}
