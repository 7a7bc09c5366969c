//! `pthread_spinlock_t`. Spinning is waiting: the schedules in which a thread spins without success are left
//! out.

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, int, touching};
use crate::errno::EBUSY;
use crate::row::{Row, row};
use crate::sync::mutex::not_owner;
use crate::sync::nesting;
use crate::sync::object::{SyncObject, renamed};
use crate::sync::wait::PosixWait;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::symbolic_trace::Synchronisation;
use symx_trace::{Access, CallEffect, CallOutcome, FailureDetail, Mode, ThreadId};

/// A spin lock.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinLock {
    pub owner: Option<ThreadId>,
    destroyed: bool,
}

impl SyncObject for SpinLock {
    const PLURAL: &'static str = "spin locks";

    fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        Self { owner: renamed(self.owner, parent, child), ..self.clone() }
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_spin_init"], initialise),
    row(&["pthread_spin_destroy"], destroy).which(CallEffect::Destroy),
    row(&["pthread_spin_lock"], lock).which(CallEffect::Lock),
    row(&["pthread_spin_trylock"], try_lock).which(CallEffect::Lock),
    row(&["pthread_spin_unlock"], unlock).which(CallEffect::Unlock),
];

fn find(call: &mut PosixCall<'_, '_>, address: u64) -> Result<SpinLock, Stop> {
    call.object(address, 4, Purpose::Write)?;
    let lock = call.state().data.own.sync.spins.get(&address).cloned().unwrap_or_default();
    if lock.destroyed && call.phase() > 0 {
        call.misuse(FailureDetail::UseAfterDestroy, "use of a destroyed spin lock")?;
    }
    Ok(lock)
}

fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    call.object(address, 4, Purpose::Write)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if call.state().data.own.sync.spins.get(&address).is_some_and(|lock| lock.owner.is_some()) {
        call.misuse(FailureDetail::InitLocked, "initialisation of a spin lock that is held")?;
    }
    call.data().own.sync.spins.insert(address, SpinLock::default());
    int(0)
}

fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let lock = find(call, address)?;
    if let Some(park) = announced(call, touching(Access::object(address, Mode::Write))) {
        return Ok(park);
    }
    if lock.owner.is_some() {
        call.misuse(FailureDetail::DestroyLocked, "destroy of a spin lock that is held")?;
    }
    call.data().own.sync.spins.insert(address, SpinLock { destroyed: true, ..lock });
    int(0)
}

fn take(call: &mut PosixCall<'_, '_>, address: u64) -> Step {
    let owner = Some(call.thread());
    call.acquire((address, 0));
    call.synchronises(Synchronisation::Lock(address));
    call.data().own.sync.spins.insert(address, SpinLock { owner, destroyed: false });
    int(0)
}

fn lock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    find(call, address)?;
    if call.phase() == 0 {
        let footprint = touching(Access::object(address, Mode::Acquire));
        return Ok(call.synchronise(footprint, Some(PosixWait::Spin(address))));
    }
    nesting::note(call, address, false);
    take(call, address)
}

fn try_lock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let lock = find(call, address)?;
    if call.phase() == 0 {
        return Ok(call.synchronise(touching(Access::object(address, Mode::Write)), None));
    }
    if lock.owner.is_some() {
        call.synchronises(Synchronisation::LockBusy(address));
        call.ends_with(CallOutcome::Busy);
        return int(EBUSY);
    }
    take(call, address)
}

fn unlock(call: &mut PosixCall<'_, '_>) -> Step {
    let address = call.argument(0)?;
    let lock = find(call, address)?;
    // One that takes the lock from its holder may also come before those that it lets go on.
    let mode = if lock.owner == Some(call.thread()) { Mode::Release } else { Mode::Post };
    if let Some(park) = announced_synchronisation(call, touching(Access::object(address, mode))) {
        return Ok(park);
    }
    if lock.owner != Some(call.thread()) {
        not_owner(call)?;
        call.is_beyond_traces("unlock by a thread that does not own the lock");
    }
    call.release((address, 0));
    call.synchronises(Synchronisation::Unlock(address));
    call.data().own.sync.spins.insert(address, SpinLock::default());
    int(0)
}
