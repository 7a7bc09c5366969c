//! Futexes, for programs that use them directly: libc's own waiting is modelled above them.
//!
//! As in the kernel, an operation holds the queue of its futex from beginning to end. So no thread is woken
//! between a waiter's look at the word and its going to sleep. Taking the queue, looking at the word, and
//! leaving the queue with what was decided are separate steps. So each touches one kind of thing. While the
//! queue is held, its sleepers are known.

use crate::answer::{PosixCall, Step, failed, word};
use crate::errno::{EAGAIN, EINTR, EINVAL, ENOSYS, ETIMEDOUT};
use crate::kernel::system_calls::{SystemCall, argument, call as row};
use crate::options::Posix;
use crate::places::{acquire, asleep, release, write};
use crate::sync::deadline::REALTIME;
use crate::sync::object::carry;
use crate::sync::rust::condition::unrecognised;
use crate::sync::wait::{Goal, PosixWait};
use crate::threads::has_interrupted;
use imbl::{OrdMap, Vector};
use smallvec::{SmallVec, smallvec};
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{Access, CallOutcome, Footprint, Mode, Place, ThreadId};

pub(crate) const CALLS: &[SystemCall] = &[row(202, "futex", futex)];

/// A thread asleep at a futex, with the bits of which a waker must name one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sleeper {
    thread: ThreadId,
    bits: u32,
    /// Whether it wakes by itself when its time is up.
    has_limit: bool,
}

/// The queues of futexes, by address.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Futexes {
    /// Threads asleep, longest first; nowhere none.
    sleepers: OrdMap<u64, Vector<Sleeper>>,
    /// The thread that holds a queue.
    holders: OrdMap<u64, ThreadId>,
}

/// The futexes that an operation is about.
type Addresses = SmallVec<[u64; 2]>;

impl Futexes {
    /// Hands the queues of futexes in these objects on.
    pub fn carry_to(&mut self, other: &mut Self, ranges: &[(u64, u64)]) {
        carry(ranges, &mut self.sleepers, &mut other.sleepers);
        carry(ranges, &mut self.holders, &mut other.holders);
    }

    /// Whether `thread` sleeps.
    pub fn is_asleep(&self, thread: ThreadId) -> bool {
        self.sleepers.values().flatten().any(|sleeper| sleeper.thread == thread)
    }

    /// Whether threads sleep at `address`.
    pub fn has_sleepers(&self, address: u64) -> bool {
        self.sleepers.contains_key(&address)
    }

    /// Whether `thread` holds a queue.
    pub fn holds_queue(&self, thread: ThreadId) -> bool {
        self.holders.values().any(|holder| *holder == thread)
    }

    /// The thread that holds the queue at `address`.
    pub fn holder(&self, address: u64) -> Option<ThreadId> {
        self.holders.get(&address).copied()
    }

    /// Takes `thread` out; whether it was asleep.
    fn forget(&mut self, thread: ThreadId) -> bool {
        let is_here = |all: &Vector<Sleeper>| all.iter().any(|sleeper| sleeper.thread == thread);
        let address = self.sleepers.iter().find(|(_, all)| is_here(all)).map(|(address, _)| *address);
        address.is_some_and(|address| {
            self.keep(address, |sleeper| sleeper.thread != thread);
            true
        })
    }

    /// Keeps asleep those at `address` of which `sleeps_on` is true.
    fn keep(&mut self, address: u64, sleeps_on: impl Fn(&Sleeper) -> bool) {
        let Some(all) = self.sleepers.get_mut(&address) else { return };
        all.retain(sleeps_on);
        if all.is_empty() {
            self.sleepers.remove(&address);
        }
    }

    fn at(&self, address: u64) -> impl Iterator<Item = &Sleeper> {
        self.sleepers.get(&address).into_iter().flatten()
    }
}

/// Bits of the operation that say what it is; others choose the clock and forbid sharing.
const OPERATION: u64 = 0x7f;
/// The time limit is one of `CLOCK_REALTIME`.
const OF_REAL_TIME: u64 = 0x100;
const MONOTONIC: u64 = 1;

/// `futex(address, operation, value, limit, ...)`.
fn futex(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, operation) = (argument(call, 0)?, argument(call, 1)?);
    if address % 4 != 0 {
        return failed(EINVAL);
    }
    match operation & OPERATION {
        0 => wait(call, u32::MAX, false),
        1 => wake(call, u32::MAX),
        3 => requeue(call, None),
        4 => {
            let expected = argument(call, 5)? as u32;
            requeue(call, Some(expected))
        }
        5 => wake_after_change(call),
        9 => match argument(call, 5)? as u32 {
            0 => failed(EINVAL),
            bits => wait(call, bits, true),
        },
        10 => match argument(call, 5)? as u32 {
            0 => failed(EINVAL),
            bits => wake(call, bits),
        },
        other @ 6..=13 => Err(call.unsupported(format!("futex operation {other}"))),
        _ => failed(ENOSYS),
    }
}

/// When the time limit of a wait comes, if there is one: a duration, or for `absolute` a time.
fn limit(call: &mut PosixCall<'_, '_>, absolute: bool) -> Result<Option<u64>, Stop> {
    let address = argument(call, 3)?;
    if address == 0 {
        return Ok(None);
    }
    let (seconds, fraction) = (call.read_number(address, 8)?, call.read_number(address + 8, 8)?);
    let time = seconds.saturating_mul(1_000_000_000).saturating_add(fraction);
    let clock = if argument(call, 1)? & OF_REAL_TIME != 0 { REALTIME } else { MONOTONIC };
    let own = &call.state().data.kernel.clock;
    Ok(Some(if absolute { own.absolute(clock, time) } else { own.after(call.thread(), time) }))
}

/// Waits for the queues at these addresses, all at once.
fn wait_for_queues(call: &mut PosixCall<'_, '_>, addresses: &[u64]) -> Outcome<Posix> {
    let footprint = addresses.iter().map(|address| acquire(Place::Queue(*address))).collect();
    let [first, other] = [addresses[0], addresses[addresses.len() - 1]];
    call.synchronise(footprint, Some(PosixWait::FutexQueues { first, other }))
}

fn take_queues(call: &mut PosixCall<'_, '_>, addresses: &[u64]) {
    let me = call.thread();
    let holders = &mut call.data().kernel.own.futexes.holders;
    holders.extend(addresses.iter().map(|address| (*address, me)));
}

fn leave_queues(call: &mut PosixCall<'_, '_>, addresses: &[u64]) {
    let holders = &mut call.data().kernel.own.futexes.holders;
    for address in addresses {
        holders.remove(address);
    }
}

fn wait(call: &mut PosixCall<'_, '_>, bits: u32, absolute: bool) -> Step {
    let (address, expected) = (argument(call, 0)?, argument(call, 2)? as u32);
    let me = call.thread();
    match call.phase() {
        0 => Ok(wait_for_queues(call, &[address])),
        1 => {
            take_queues(call, &[address]);
            // Without this note, a thread that stores there would have seen no other thread look.
            call.is_shared(address);
            Ok(call.synchronise_atomically(smallvec![Access::read(address, 4)]))
        }
        2 => {
            let sleeps = call.read_number(address, 4)? as u32 == expected;
            *call.scratch() = smallvec![u64::from(sleeps)];
            Ok(call.synchronise(smallvec![release(Place::Queue(address))], None))
        }
        3 => {
            let sleeps = call.scratch()[0] == 1;
            let until = if sleeps { limit(call, absolute)? } else { None };
            leave_queues(call, &[address]);
            if !sleeps {
                return failed(EAGAIN);
            }
            *call.scratch() = smallvec![until.unwrap_or(0)];
            let sleeper = Sleeper { thread: me, bits, has_limit: until.is_some() };
            call.data().kernel.own.futexes.sleepers.entry(address).or_default().push_back(sleeper);
            Ok(match until {
                // Ending by itself takes the sleeper out of the queue, which no other thread may hold then.
                Some(until) => {
                    let goal = Goal::Futex { address };
                    let footprint = smallvec![write(asleep(me)), write(Place::Queue(address))];
                    call.synchronise(footprint, Some(PosixWait::Limited { until, goal }))
                }
                None => call.synchronise(smallvec![acquire(asleep(me))], Some(PosixWait::Futex(address))),
            })
        }
        _ => {
            let until = call.scratch()[0];
            let interrupted = has_interrupted(call);
            match call.data().kernel.own.futexes.forget(me) {
                false => word(0),
                true if interrupted => failed(EINTR),
                true => {
                    call.ends_with(CallOutcome::TimedOut);
                    call.data().kernel.clock.sleep_until(me, until);
                    failed(ETIMEDOUT)
                }
            }
        }
    }
}

/// The footprint of waking at these addresses, whose queues are left with it: any of those asleep may be
/// woken.
fn wakers_footprint(call: &PosixCall<'_, '_>, addresses: &[u64]) -> Footprint {
    let futexes = &call.state().data.kernel.own.futexes;
    let queues = addresses.iter().map(|address| release(Place::Queue(*address)));
    let sleepers = addresses.iter().flat_map(|address| futexes.at(*address));
    queues.chain(sleepers.map(|sleeper| release(asleep(sleeper.thread)))).collect()
}

/// Wakes at most `most` of those at `address` that sleep for one of `bits`, `first` of them first.
fn wake_some(futexes: &mut Futexes, address: u64, most: u64, bits: u32, first: usize) -> u64 {
    let sleepers = futexes.at(address).filter(|sleeper| sleeper.bits & bits != 0);
    let mut chosen: Vec<ThreadId> = sleepers.map(|sleeper| sleeper.thread).collect();
    let first = first.min(chosen.len());
    chosen.rotate_left(first);
    chosen.truncate(most as usize);
    futexes.keep(address, |sleeper| !chosen.contains(&sleeper.thread));
    chosen.len() as u64
}

/// How many sleepers a call wakes that is to wake this many. Linux looks at the count once it has woken one.
fn most_woken(count: u64) -> u64 {
    (count as i32).max(1) as u64
}

/// Wakes sleepers. Which ones is up to the kernel; with several asleep and one to wake, any may be.
fn wake(call: &mut PosixCall<'_, '_>, bits: u32) -> Step {
    let (address, most) = (argument(call, 0)?, most_woken(argument(call, 2)?));
    match call.phase() {
        0 => return Ok(wait_for_queues(call, &[address])),
        1 => {
            take_queues(call, &[address]);
            let footprint = wakers_footprint(call, &[address]);
            return Ok(call.synchronise(footprint, None));
        }
        _ => {}
    }
    if call.bookkeeping().own.sync.conditions.get(&address).is_some_and(|known| !known.sleepers.is_empty()) {
        return Err(unrecognised());
    }
    let sleepers = call.state().data.kernel.own.futexes.at(address);
    let count = sleepers.filter(|sleeper| sleeper.bits & bits != 0).count();
    let first = if most == 1 { call.choose(count as u32)? as usize } else { 0 };
    leave_queues(call, &[address]);
    word(wake_some(&mut call.data().kernel.own.futexes, address, most, bits, first))
}

/// Two futexes, or one named twice.
fn both(address: u64, other: u64) -> Addresses {
    if address == other { smallvec![address] } else { smallvec![address, other] }
}

/// `futex(address, operation, wakes, moves, other address, expected)`: wakes some, and
/// lets others sleep elsewhere.
fn requeue(call: &mut PosixCall<'_, '_>, expected: Option<u32>) -> Step {
    let (address, other) = (argument(call, 0)?, argument(call, 4)?);
    let (wakes, moves) = (argument(call, 2)? as i32, argument(call, 3)? as i32);
    if wakes < 0 || moves < 0 {
        return failed(EINVAL);
    }
    let both = both(address, other);
    match call.phase() {
        0 => return Ok(wait_for_queues(call, &both)),
        1 => {
            take_queues(call, &both);
            let mut footprint = wakers_footprint(call, &both);
            if expected.is_some() {
                call.is_shared(address);
                footprint.push(Access::read(address, 4));
            }
            return Ok(call.synchronise_atomically(footprint));
        }
        _ => {}
    }
    let is_as_expected = match expected {
        Some(expected) => call.read_number(address, 4)? as u32 == expected,
        None => true,
    };
    leave_queues(call, &both);
    if !is_as_expected {
        return failed(EAGAIN);
    }
    let sleepers = call.state().data.kernel.own.futexes.at(address);
    let has_limit = sleepers.skip(wakes as usize).take(moves as usize).any(|sleeper| sleeper.has_limit);
    if address != other && has_limit {
        // When its time is up it is in another queue than the one that it said it would leave.
        return Err(call.unsupported("a requeue of a sleeper with a time limit"));
    }
    let futexes = &mut call.data().kernel.own.futexes;
    let woken = wake_some(futexes, address, wakes as u64, u32::MAX, 0);
    let left = futexes.sleepers.remove(&address).unwrap_or_default();
    let (moved, rest) = left.clone().split_at(left.len().min(moves as usize));
    let count = moved.len() as u64;
    for (queue, sleepers) in [(address, rest), (other, moved)] {
        if !sleepers.is_empty() {
            futexes.sleepers.entry(queue).or_default().append(sleepers);
        }
    }
    // With a comparison the answer counts those moved as well.
    word(if expected.is_some() { woken + count } else { woken })
}

/// `futex(address, operation, wakes, other wakes, other address, change)`. It changes the word at the other
/// address and wakes at the first. It also wakes at the other if the old value compares as the change says.
fn wake_after_change(call: &mut PosixCall<'_, '_>) -> Step {
    let (address, other, change) = (argument(call, 0)?, argument(call, 4)?, argument(call, 5)? as u32);
    let (wakes, other_wakes) = (most_woken(argument(call, 2)?), most_woken(argument(call, 3)?));
    let both = both(address, other);
    match call.phase() {
        0 => return Ok(wait_for_queues(call, &both)),
        1 => {
            take_queues(call, &both);
            call.is_shared(other);
            let mut footprint = wakers_footprint(call, &both);
            footprint
                .push(Access { place: Place::Memory { start: other, end: other + 4 }, mode: Mode::Write });
            return Ok(call.synchronise_atomically(footprint));
        }
        _ => {}
    }
    leave_queues(call, &both);
    let signed_twelve = |bits: u32| (bits << 20) as i32 >> 20;
    let mut operand = signed_twelve(change >> 12);
    if change >> 31 == 1 {
        operand = 1_i32.wrapping_shl(operand as u32);
    }
    let before = call.read_number(other, 4)? as i32;
    let after = match change >> 28 & 7 {
        0 => operand,
        1 => before.wrapping_add(operand),
        2 => before | operand,
        3 => before & !operand,
        4 => before ^ operand,
        _ => return failed(ENOSYS),
    };
    let against = signed_twelve(change);
    let holds = match change >> 24 & 15 {
        0 => before == against,
        1 => before != against,
        2 => before < against,
        3 => before <= against,
        4 => before > against,
        5 => before >= against,
        _ => return failed(ENOSYS),
    };
    call.write(other, 4, Value::Concrete(u64::from(after as u32)))?;
    let futexes = &mut call.data().kernel.own.futexes;
    let mut woken = wake_some(futexes, address, wakes, u32::MAX, 0);
    if holds {
        woken += wake_some(futexes, other, other_wakes, u32::MAX, 0);
    }
    word(woken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_choose_which_sleepers_are_woken_and_order_counts() {
        let mut futexes = Futexes::default();
        let sleepers = [(1, 1), (2, 2), (3, 3)].map(|(thread, bits)| Sleeper {
            thread: ThreadId(thread),
            bits,
            has_limit: false,
        });
        futexes.sleepers.insert(64, sleepers.into_iter().collect());
        assert_eq!(wake_some(&mut futexes, 64, 1, 2, 0), 1);
        assert!(futexes.is_asleep(ThreadId(1)) && !futexes.is_asleep(ThreadId(2)));
        assert_eq!(wake_some(&mut futexes, 64, 1, u32::MAX, 1), 1);
        assert!(futexes.is_asleep(ThreadId(1)) && !futexes.is_asleep(ThreadId(3)));
        assert!(futexes.forget(ThreadId(1)) && !futexes.forget(ThreadId(1)));
        assert_eq!(wake_some(&mut futexes, 64, 9, u32::MAX, 0), 0);
    }
}
