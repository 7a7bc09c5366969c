//! Signals: which threads block which, what is pending, what happens on delivery.
//!
//! A signal is delivered where its thread waits for one, unblocks it or sends it to itself. Else it is
//! delivered at the thread's next system call that deals with signals. It never interrupts a thread between
//! two instructions.

pub(crate) mod calls;
pub(crate) mod interruption;
pub(crate) mod receivers;
pub(crate) mod suspended;
pub(crate) mod timers;

use crate::answer::{PosixCall, Step, announced_synchronisation, int, word};
use crate::errno::{EINVAL, ESRCH};
use crate::kernel::Kernel;
use crate::kernel::notice::{Information, LAST};
use crate::kernel::process::USER;
use crate::kernel::signals::timers::{BY_TIMER, signal_taken};
use crate::places::{SIGNALS, end_of, interruption, read, release, write};
use crate::threads::process_numbers::{own_number, process_number};
use imbl::{OrdMap, OrdSet, Vector};
use smallvec::{SmallVec, smallvec};
use symx_interp::Table;
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::{FailureDetail, FailureKind, Footprint, ThreadId};

/// The action on delivery of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Action {
    /// Address of the function to call, [`DEFAULT`] or [`IGNORE`].
    pub handler: u64,
    pub flags: u64,
    pub restorer: u64,
    /// Signals blocked while the handler runs, bit 0 for signal 1.
    pub mask: u64,
}

/// `SI_TKILL`: sent to a thread.
pub(crate) const TO_THREAD: Information = Information { code: -6, value: 0, sender: ThreadId::MAIN };
/// `SI_USER`: sent to the process.
pub(crate) const TO_PROCESS: Information = Information { code: 0, value: 0, sender: ThreadId::MAIN };

/// The first of the signals that are counted: each one sent is delivered.
const FIRST_COUNTED: u32 = 32;

/// Signals of a process.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Signals {
    actions: OrdMap<u32, Action>,
    /// Pending for the whole process.
    pending: u64,
    /// Pending for one thread.
    of_threads: Table<ThreadId, u64>,
    /// The data of pending ones, first sent first.
    informations: Table<(Option<ThreadId>, u32), Vector<Information>>,
    masks: Table<ThreadId, u64>,
    /// Threads that go on without signals of the process that they do not block, since another one is
    /// interrupted.
    passed_over: OrdSet<ThreadId>,
    /// How many have become pending since there is a descriptor to read them from.
    sent: Option<u64>,
    /// The stacks that threads have set aside for handlers.
    pub alternates: Table<ThreadId, AlternateStack>,
}

/// What a thread gets at once of the signals that are pending.
#[derive(Clone, Copy)]
pub(crate) struct Frames {
    /// All of them.
    pub all: u64,
    /// The one that is dealt with first.
    pub last: Option<u32>,
    /// What is blocked while it is, itself included.
    pub mask: u64,
}

/// A stack for handlers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AlternateStack {
    pub address: u64,
    /// 0 for none.
    pub size: u64,
    /// At what depth of calls a handler began that runs on it, if one does.
    pub in_use: Option<u32>,
}

pub(crate) const DEFAULT: u64 = 0;
pub(crate) const IGNORE: u64 = 1;
pub(crate) const ABORT: u32 = 6;
pub(crate) const KILL: u32 = 9;
pub(crate) const BROKEN_PIPE: u32 = 13;
pub(crate) const STOP: u32 = 19;

/// `SA_RESTART`
pub(crate) const RESTART: u64 = 0x1000_0000;
const WITH_INFORMATION: u64 = 4;
/// `SA_ONSTACK`
const ON_ALTERNATE: u64 = 0x0800_0000;
const DO_NOT_BLOCK: u64 = 0x4000_0000;
const RESET: u64 = 0x8000_0000;

/// The bit of a signal in a mask.
pub(crate) fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// Whether a signal without an action does nothing: of a child, urgent data, window size, continuing.
fn is_ignored_by_default(signal: u32) -> bool {
    matches!(signal, 17 | 18 | 23 | 28)
}

impl Signals {
    /// Those of a child that `parent` forks, whose thread is `child`: what is blocked and what happens on
    /// delivery, but nothing that is pending.
    pub fn inherited(&self, parent: ThreadId, child: ThreadId) -> Self {
        let mut inherited = Self { actions: self.actions.clone(), ..Self::default() };
        inherited.set_mask(child, self.mask(parent));
        if let Some(stack) = self.alternates.get(&parent) {
            inherited.alternates.insert(child, *stack);
        }
        inherited
    }

    /// Whether any signal has a handler.
    pub fn has_handlers(&self) -> bool {
        self.actions.values().any(|action| !matches!(action.handler, DEFAULT | IGNORE))
    }

    /// Those of a process that executes a program: signals with a handler have none any more.
    pub fn executed(&self, thread: ThreadId) -> Self {
        let actions = self.actions.iter().filter(|(_, action)| action.handler == IGNORE);
        let actions = actions.map(|(signal, action)| (*signal, *action)).collect();
        Self { actions, alternates: Table::default(), ..self.clone() }.with_mask(thread, self.mask(thread))
    }

    fn with_mask(mut self, thread: ThreadId, mask: u64) -> Self {
        self.set_mask(thread, mask);
        self
    }

    pub fn action(&self, signal: u32) -> Action {
        self.actions.get(&signal).copied().unwrap_or_default()
    }

    pub fn set_action(&mut self, signal: u32, action: Action) {
        self.actions.insert(signal, action);
        if self.is_ignored(signal) {
            self.drop_pending(signal);
        }
    }

    /// The signals that `thread` blocks.
    pub fn mask(&self, thread: ThreadId) -> u64 {
        self.masks.get(&thread).copied().unwrap_or(0)
    }

    pub fn set_mask(&mut self, thread: ThreadId, mask: u64) {
        // A thread that changes its mask looks at what is pending.
        self.passed_over.remove(&thread);
        self.masks.insert(thread, mask & !bit(KILL) & !bit(STOP));
    }

    /// Pending for `thread` or the process.
    pub fn pending(&self, thread: ThreadId) -> u64 {
        self.pending | self.of_threads.get(&thread).copied().unwrap_or(0)
    }

    /// Pending for the process: one of its threads gets them.
    pub fn pending_for_process(&self) -> u64 {
        self.pending
    }

    /// Has a signal of the process interrupt `chosen` of these threads that let it in, and not the others,
    /// unless one before does.
    pub fn pass_over(&mut self, candidates: &[ThreadId], chosen: ThreadId) {
        for thread in candidates {
            let own = self.of_threads.get(thread).copied().unwrap_or(0);
            let shared = if self.passed_over.contains(thread) { 0 } else { self.pending };
            if *thread != chosen && (own | shared) & !self.mask(*thread) == 0 {
                self.passed_over.insert(*thread);
            }
        }
        self.passed_over.remove(&chosen);
    }

    /// Whether `thread` goes on without the signals of the process.
    pub fn is_passed_over(&self, thread: ThreadId) -> bool {
        self.passed_over.contains(&thread)
    }

    /// The signal that `thread` would get next if it blocked `blocked`.
    pub fn deliverable(&self, thread: ThreadId, blocked: u64) -> Option<u32> {
        self.next_to_read(thread, !blocked)
    }

    /// The signals of `among` that `thread` gets at once if it blocks `mask`: each makes a frame, and none of
    /// their handlers begins before all frames are made. So the handler of the last one runs first.
    pub fn frames(&self, thread: ThreadId, mask: u64, among: u64) -> Frames {
        let mut frames = Frames { all: 0, last: None, mask };
        let mut unseen = among & !mask;
        while let Some(signal) = self.next_to_read(thread, unseen) {
            frames.all |= bit(signal);
            unseen &= !bit(signal);
            let action = self.action(signal);
            if self.is_ignored(signal) {
                frames.last = frames.last.or(Some(signal));
                continue;
            }
            frames.last = Some(signal);
            if action.handler == DEFAULT {
                break;
            }
            // The signals of the frames below are taken: none of them comes in again here.
            frames.mask |= action.mask | bit(signal);
            unseen &= !action.mask;
        }
        frames
    }

    /// The signal of `set` that `thread` reads next: its own come before those of the process.
    pub fn next_to_read(&self, thread: ThreadId, set: u64) -> Option<u32> {
        let own = self.of_threads.get(&thread).copied().unwrap_or(0) & set;
        let next = if own != 0 { own } else { self.pending & set };
        (next != 0).then(|| next.trailing_zeros() + 1)
    }

    /// Counts from now on how many become pending.
    pub fn count_sent(&mut self) {
        self.sent.get_or_insert(0);
    }

    /// How many have become pending since they are counted.
    pub fn sent(&self) -> u64 {
        self.sent.unwrap_or(0)
    }

    /// Whether a signal of `among` is pending for `thread` and not ignored.
    pub fn is_any_deliverable(&self, thread: ThreadId, among: u64) -> bool {
        self.is_any_heeded(self.pending(thread) & among)
    }

    /// Whether a signal of `among` is pending for `thread` itself and not ignored.
    pub fn is_any_of_its_own(&self, thread: ThreadId, among: u64) -> bool {
        self.is_any_heeded(self.of_threads.get(&thread).copied().unwrap_or(0) & among)
    }

    fn is_any_heeded(&self, set: u64) -> bool {
        (1..=LAST).any(|signal| set & bit(signal) != 0 && !self.is_ignored(signal))
    }

    /// Whether `signal` does not become pending where it is sent to one thread or the process: it is ignored,
    /// and the receiver does not block it. What is blocked waits for what it will mean when it is unblocked.
    pub fn is_dropped(&self, receiver: Option<ThreadId>, signal: u32) -> bool {
        let is_blocked = match receiver {
            Some(thread) => self.mask(thread) & bit(signal) != 0,
            None => self.masks.values().any(|mask| mask & bit(signal) != 0),
        };
        self.is_ignored(signal) && !is_blocked
    }

    /// Makes `signal` pending for one thread or the process, unless it is dropped.
    ///
    /// Says whether it is pending now.
    pub fn send(&mut self, receiver: Option<ThreadId>, signal: u32, information: Information) -> bool {
        if self.is_dropped(receiver, signal) {
            return false;
        }
        let known = self.informations.entry((receiver, signal)).or_default();
        if known.is_empty() || signal >= FIRST_COUNTED {
            self.sent = self.sent.map(|sent| sent + 1);
            known.push_back(information);
        }
        match receiver {
            Some(thread) => *self.of_threads.entry(thread).or_insert(0) |= bit(signal),
            None => self.pending |= bit(signal),
        }
        true
    }

    /// Whether this very notice is still pending.
    pub fn is_pending(&self, receiver: Option<ThreadId>, signal: u32, information: Information) -> bool {
        self.informations.get(&(receiver, signal)).is_some_and(|known| known.contains(&information))
    }

    pub fn is_ignored(&self, signal: u32) -> bool {
        match self.action(signal).handler {
            IGNORE => true,
            DEFAULT => is_ignored_by_default(signal),
            _ => false,
        }
    }

    /// Takes one pending signal of `thread` or else of the process.
    pub fn take(&mut self, thread: ThreadId, signal: u32) -> Information {
        let own = self.of_threads.get(&thread).is_some_and(|own| own & bit(signal) != 0);
        let of = own.then_some(thread);
        let known = self.informations.entry((of, signal)).or_default();
        let first = known.pop_front().unwrap_or_default();
        if known.is_empty() {
            self.informations.remove(&(of, signal));
            match of {
                Some(thread) => *self.of_threads.entry(thread).or_insert(0) &= !bit(signal),
                None => self.pending &= !bit(signal),
            }
        }
        if self.pending == 0 {
            self.passed_over.clear();
        }
        first
    }

    /// Drops a signal wherever it is pending.
    fn drop_pending(&mut self, signal: u32) {
        self.pending &= !bit(signal);
        if self.pending == 0 {
            self.passed_over.clear();
        }
        let threads: Vec<ThreadId> = self.of_threads.keys().copied().collect();
        for thread in threads {
            *self.of_threads.entry(thread).or_insert(0) &= !bit(signal);
            self.informations.remove(&(Some(thread), signal));
        }
        self.informations.remove(&(None, signal));
    }
}

/// Kind of system object that the information for handlers is in.
const INFORMATION: u32 = 21;
const INFORMATION_EXTENT: u64 = 128;

/// A `siginfo_t` of a signal that has been taken, up to what was sent with it: the sender, or the timer and
/// how often that went off meanwhile.
pub(crate) fn information_bytes(kernel: &Kernel, signal: u32, known: Information) -> [u8; 32] {
    let (sender, number) = match known.code {
        BY_TIMER => {
            let (timer, overrun) = timers::sender(kernel, signal, known).unwrap_or_default();
            (timer as u32, u32::try_from(overrun).unwrap_or(i32::MAX as u32))
        }
        _ => (process_number(known.sender) as u32, USER as u32),
    };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&signal.to_le_bytes());
    bytes[8..12].copy_from_slice(&known.code.to_le_bytes());
    bytes[16..20].copy_from_slice(&sender.to_le_bytes());
    bytes[20..24].copy_from_slice(&number.to_le_bytes());
    bytes[24..].copy_from_slice(&known.value.to_le_bytes());
    bytes
}

/// Takes one pending signal of the calling thread or else of the process.
pub(crate) fn take(call: &mut PosixCall<'_, '_>, signal: u32) -> Information {
    let me = call.thread();
    let known = call.data().kernel.own.signals.take(me, signal);
    signal_taken(call, signal, known);
    known
}

/// Delivers the next signal that the calling thread does not block, if there is one. Calls its handler,
/// during which the signals of its action are blocked as well. The mask `after` is to be restored by the
/// caller afterwards.
///
/// `None` if nothing is to be delivered.
pub(crate) fn deliver(call: &mut PosixCall<'_, '_>) -> Result<Option<Outcome<crate::Posix>>, Stop> {
    deliver_among(call, u64::MAX)
}

/// [`deliver`], but only signals of `among`.
pub(crate) fn deliver_among(
    call: &mut PosixCall<'_, '_>,
    among: u64,
) -> Result<Option<Outcome<crate::Posix>>, Stop> {
    let (me, depth) = (call.thread(), call.depth());
    // A handler called from here before has returned.
    call.take_stack_back();
    let begun_here = |stack: &AlternateStack| stack.in_use.is_some_and(|begun| begun >= depth);
    if call.state().data.kernel.own.signals.alternates.get(&me).is_some_and(begun_here)
        && let Some(stack) = call.data().kernel.own.signals.alternates.get_mut(&me)
    {
        stack.in_use = None;
    }
    loop {
        let signals = &call.state().data.kernel.own.signals;
        let mask = signals.mask(me);
        let frames = signals.frames(me, mask, among);
        let Some(signal) = frames.last else { return Ok(None) };
        let action = signals.action(signal);
        if action.handler == DEFAULT && !is_ignored_by_default(signal) {
            let is_from_another = take(call, signal).sender != call.process();
            if call.has_forked() {
                call.data().own.process.killed_by.get_or_insert(signal);
            }
            return Err(default_action(call, signal, is_from_another));
        }
        if signals.is_ignored(signal) {
            take(call, signal);
            continue;
        }
        let number = Value::Concrete(u64::from(signal));
        let mut arguments: SmallVec<[Value; 4]> = smallvec![number];
        let known = take(call, signal);
        if action.flags & WITH_INFORMATION != 0 {
            let bytes = information_bytes(&call.state().data.kernel, signal, known);
            let information = call.allocate_system(INFORMATION_EXTENT, INFORMATION, &bytes)?;
            arguments.extend([Value::Concrete(information), Value::Concrete(0)]);
        }
        let signals = &mut call.data().kernel.own.signals;
        if action.flags & RESET != 0 {
            signals.set_action(signal, Action { handler: DEFAULT, ..action });
        }
        if action.flags & ON_ALTERNATE != 0
            && let Some(stack) = signals.alternates.get_mut(&me)
            && stack.size > 0
            && stack.in_use.is_none()
        {
            stack.in_use = Some(depth);
            let memory = stack.address..stack.address.saturating_add(stack.size);
            call.lend_stack(memory);
        }
        let signals = &mut call.data().kernel.own.signals;
        let is_open = action.flags & DO_NOT_BLOCK != 0 && (mask | action.mask) & bit(signal) == 0;
        signals.set_mask(me, if is_open { frames.mask & !bit(signal) } else { frames.mask });
        return Ok(Some(Outcome::Handle { function: action.handler, arguments }));
    }
}

/// The end of the process by a signal.
fn default_action(call: &PosixCall<'_, '_>, signal: u32, is_from_another: bool) -> Stop {
    match signal {
        19..=22 => call.unsupported(format!("signal {signal} that stops the process")),
        // Its sender meant it to end: that is no failure.
        _ if is_from_another => Stop::ProcessExit(128 + signal as u8),
        ABORT => call.fault(FailureKind::Abort, FailureDetail::Plain, "abort called"),
        4 | 5 | 7 | 8 | 11 | 31 => call.fault(
            FailureKind::Abort,
            FailureDetail::Plain,
            format!("the process was killed by signal {signal}, sent by itself"),
        ),
        _ => Stop::ProcessExit(128 + signal as u8),
    }
}

/// Marks the scratch of a call that has sent a signal and now delivers what it itself gets of it.
const SENT: u64 = 0x7369_676e_616c;

/// Sends `signal` to a thread or, without one, to the process; what the caller itself gets of it is delivered
/// before the call returns `result`.
pub(crate) fn send(
    call: &mut PosixCall<'_, '_>,
    receiver: Option<ThreadId>,
    signal: u32,
    information: Information,
    result: Step,
) -> Step {
    if is_sent(call) {
        return deliver_sent(call, result);
    }
    let me = call.thread();
    if receiver != Some(me) && !call.state().data.may_signal {
        return Err(call.unsupported("a signal to another thread, sent by code that shows no such call"));
    }
    let mask = call.state().data.kernel.own.signals.mask(me);
    let for_me = receiver.is_none_or(|receiver| receiver == me) && mask & bit(signal) == 0;
    // Sent elsewhere, it commutes with other signals sent; delivered here, it does not.
    let mut footprint: Footprint = smallvec![if for_me { write(SIGNALS) } else { release(SIGNALS) }];
    let process = call.process();
    let threads = call.state().threads.iter().map(|thread| thread.id);
    let others = threads.filter(|thread| call.process_of(*thread) == process);
    let interrupted =
        others.filter(|other| *other != me && receiver.is_none_or(|receiver| receiver == *other));
    footprint.extend(interrupted.map(|other| write(interruption(other))));
    // The kernel's own locks order the sender's stores before what the handler sees.
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if receiver.is_none() {
        receivers::choose(call, process, signal)?;
    }
    send_announced(call, receiver, signal, information, result)
}

/// [`send`] as a part of an operation that has been announced. In later phases the model must ask
/// [`is_sent`] first. The sender is the process that makes the call. Who gets a signal of the process must
/// have been chosen.
pub(crate) fn send_announced(
    call: &mut PosixCall<'_, '_>,
    receiver: Option<ThreadId>,
    signal: u32,
    information: Information,
    result: Step,
) -> Step {
    let information = Information { sender: call.process(), ..information };
    call.data().kernel.send_signal(receiver, signal, information);
    let me = call.thread();
    let time = call.state().data.kernel.clock.known(me);
    tell_time(call, receiver, time);
    keep_before_return(call, &[]);
    match receiver.is_none() && call.state().data.kernel.own.signals.is_passed_over(me) {
        true => result,
        false => deliver_sent(call, result),
    }
}

/// The receiver of a signal sent at `time` knows that it is that late.
pub(crate) fn tell_time(call: &mut PosixCall<'_, '_>, receiver: Option<ThreadId>, time: u64) {
    let process = call.process();
    let threads = call.state().threads.iter().filter(|thread| !thread.service).map(|thread| thread.id);
    let threads = threads.filter(|thread| call.process_of(*thread) == process);
    let told: Vec<ThreadId> =
        threads.filter(|thread| receiver.is_none_or(|receiver| receiver == *thread)).collect();
    tell_time_to(call, &told, time);
}

/// These threads know that it is that late.
pub(crate) fn tell_time_to(call: &mut PosixCall<'_, '_>, threads: &[ThreadId], time: u64) {
    for thread in threads {
        call.data().kernel.clock.sleep_until(*thread, time);
    }
}

/// Sends `signal` to another process.
pub(crate) fn send_to(
    call: &mut PosixCall<'_, '_>,
    process: ThreadId,
    signal: u32,
    information: Information,
) -> Step {
    let threads = call.threads_of(process);
    let mut footprint: Footprint = smallvec![release(SIGNALS), read(end_of(process))];
    footprint.extend(receivers::touched_by_sending(call.state(), process));
    if let Some(park) = announced_synchronisation(call, footprint) {
        return Ok(park);
    }
    if call.bookkeeping().processes.goes_on(process) {
        receivers::choose(call, process, signal)?;
        call.in_process(process, |data| data.kernel.send_signal(None, signal, information));
        let me = call.thread();
        let time = call.bookkeeping().kernel.clock.known(me);
        tell_time_to(call, &threads, time);
    }
    word(0)
}

/// Has the call keep `kept` in its scratch, behind two words, while what is pending is delivered. From then
/// on it is one that has sent a signal.
pub(crate) fn keep_before_return(call: &mut PosixCall<'_, '_>, kept: &[u64]) {
    let me = call.thread();
    let mask = call.state().data.kernel.own.signals.mask(me);
    *call.scratch() = smallvec![SENT, mask];
    call.scratch().extend_from_slice(kept);
}

/// Whether the call has sent its signal.
pub(crate) fn is_sent(call: &mut PosixCall<'_, '_>) -> bool {
    call.scratch().first() == Some(&SENT)
}

/// Continues with a call that has sent its signal. What it has in its scratch behind that is left there.
pub(crate) fn deliver_sent(call: &mut PosixCall<'_, '_>, result: Step) -> Step {
    let me = call.thread();
    if let &[SENT, mask, ..] = call.scratch().as_slice() {
        call.data().kernel.own.signals.set_mask(me, mask);
    }
    let mask = call.state().data.kernel.own.signals.mask(me);
    let kept = call.scratch().iter().copied().skip(2).collect::<SmallVec<[u64; 2]>>();
    *call.scratch() = smallvec![SENT, mask];
    call.scratch().extend(kept);
    match deliver(call)? {
        Some(handler) => Ok(handler),
        None => result,
    }
}

/// `pthread_kill(thread, signal)`.
pub(crate) fn thread_kill(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, signal) = (call.argument(0)?, call.argument(1)? as u32);
    let Some(target) = crate::threads::thread_of(call, thread) else { return int(ESRCH) };
    match signal {
        0 => int(0),
        1..=LAST => send(call, Some(target), signal, TO_THREAD, int(0)),
        _ => int(EINVAL),
    }
}

/// `pthread_sigqueue(thread, signal, value)`.
pub(crate) fn thread_queue(call: &mut PosixCall<'_, '_>) -> Step {
    let (thread, signal) = (call.argument(0)?, call.argument(1)? as u32);
    // Of the union, the program may have written the number alone.
    let value = call.argument_passed_on(2)?;
    let Some(target) = crate::threads::thread_of(call, thread) else { return int(ESRCH) };
    match signal {
        0 => int(0),
        1..=LAST => send(call, Some(target), signal, queued(call.process(), value), int(0)),
        _ => int(EINVAL),
    }
}

/// `SI_QUEUE`
const QUEUED: i32 = -1;

fn queued(sender: ThreadId, value: u64) -> Information {
    Information { code: QUEUED, value, sender }
}

/// Whether `number` means the process itself in `kill`. Where there are others, a group is not one process.
pub(crate) fn is_own_process(call: &PosixCall<'_, '_>, number: i32) -> bool {
    let group = process_number(ThreadId::MAIN) as i32;
    let is_group = number == 0 || number == -1 || number == -group;
    number == own_number(call) as i32 || is_group && !call.has_forked()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: u32 = 10; // SIGUSR1

    #[test]
    fn a_blocked_signal_waits_and_an_ignored_one_is_dropped() {
        let mut signals = Signals::default();
        let (me, other) = (ThreadId(0), ThreadId(1));
        signals.set_mask(me, bit(USER));
        signals.send(Some(me), USER, TO_THREAD);
        assert_eq!(signals.deliverable(me, signals.mask(me)), None);
        assert_eq!(signals.deliverable(me, 0), Some(USER));
        assert_eq!(signals.deliverable(other, 0), None);
        signals.send(None, 12, TO_PROCESS);
        assert_eq!(signals.deliverable(other, 0), Some(12));
        signals.take(other, 12);
        assert_eq!(signals.pending(me), bit(USER));
        signals.send(Some(other), 17, TO_THREAD);
        assert_eq!(signals.pending(other), 0, "a child's signal is ignored by default");
        signals.set_action(USER, Action { handler: IGNORE, ..Action::default() });
        assert_eq!(signals.pending(me), 0, "ignoring a signal drops it");
    }

    #[test]
    fn counted_signals_are_all_delivered_and_others_once() {
        let (mut signals, me) = (Signals::default(), ThreadId(0));
        for value in [1, 2] {
            signals.send(Some(me), 40, queued(ThreadId::MAIN, value));
            signals.send(Some(me), 10, queued(ThreadId::MAIN, value));
        }
        assert_eq!(signals.take(me, 40).value, 1);
        assert_eq!(signals.pending(me), bit(40) | bit(10));
        assert_eq!((signals.take(me, 40).value, signals.take(me, 10).value), (2, 1));
        assert_eq!(signals.pending(me), 0);
    }

    #[test]
    fn killing_and_stopping_cannot_be_blocked() {
        let mut signals = Signals::default();
        signals.set_mask(ThreadId(0), u64::MAX);
        assert_eq!(!signals.mask(ThreadId(0)), bit(KILL) | bit(STOP));
    }
}
