//! Holding one access of a race back until the other is next.

use super::follow::{Lost, Path};
use super::kept::KeptStates;
use super::{Observer, Witness};
use crate::Progress;
use crate::bounds::poll_interval::Looks;
use crate::races::limits::TURN_OF_HELD;
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::{End, State};
use symx_interp::threads::thread::AFTER_STORE_STORE;
use symx_interp::threads::thread::Action;

use symx_memmodel::{ByteRange, Lane, StorePlacement};
use symx_trace::{Agent, Decision, Mode, Place, ThreadId};

/// The threads that run while an access is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Others {
    /// Those that ran in the recorded execution, then in turns.
    AsRecorded,
    /// The thread that is to make the other access, as long as it can, then in turns.
    SecondFirst,
    /// That thread first, then all that can go on while both accesses are held back.
    AllButBoth,
    /// Chance decides.
    Random(u64),
}

/// The agent that makes an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Maker {
    /// The thread's next step.
    Thread(ThreadId),
    /// The commit of the store with this number, which is in the thread's buffer.
    Buffer(ThreadId, u32),
}

impl Maker {
    /// Whether a step of `agent` makes the access.
    pub fn is<E: Environment>(self, executor: &Executor<'_, E>, state: &State<E>, agent: Agent) -> bool {
        match (self, agent) {
            (Maker::Thread(mine), Agent::Thread(thread)) => mine == thread,
            (Maker::Buffer(mine, number), Agent::Buffer { thread, lane }) if mine == thread => {
                let next = state.thread(thread).buffer.next_in(executor.machine.model, Lane(lane));
                next.is_some_and(|store| store.event & !AFTER_STORE_STORE == number)
            }
            _ => false,
        }
    }

    /// The agent whose step comes next on the way to the access, and whether that makes it. `None` if nothing
    /// is on the way.
    pub fn next<E: Environment>(self, executor: &Executor<'_, E>, state: &State<E>) -> Option<(Agent, bool)> {
        let enabled = executor.enabled(state);
        let makes = enabled.iter().find(|agent| self.is(executor, state, **agent));
        let on_the_way = || match self {
            Maker::Thread(_) => None,
            Maker::Buffer(thread, _) => {
                enabled.iter().find(|agent| agent.is_buffer() && agent.thread() == thread)
            }
        };
        makes.map(|agent| (*agent, true)).or_else(|| on_the_way().map(|agent| (*agent, false)))
    }
}

/// Whether the access before which a thread is parked goes into its buffer.
fn is_buffered<E: Environment>(executor: &Executor<'_, E>, state: &State<E>, thread: ThreadId) -> bool {
    let pending = state.thread(thread).pending.as_deref();
    let Some(Action::Store { ordering, .. }) = pending.map(|pending| &pending.action) else { return false };
    let placement = executor.machine.model.store(*ordering);
    matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore)
}

/// The execution of a witness before its first access, and the agent that makes that.
#[derive(Clone)]
pub(super) struct Before<E: Environment> {
    path: Path<E>,
    /// The position of what comes next among the witness's decisions.
    next: usize,
    pub first: Maker,
}

/// Where both accesses of a race are next.
pub(super) struct Meeting<E: Environment> {
    pub path: Path<E>,
    /// The agents that make the access that was seen first, and the other one.
    pub makers: [Maker; 2],
    /// The first access has been made, and the second reads: the other order is that it reads an older value.
    pub is_read_after: bool,
}

impl<E: Environment> Before<E> {
    /// Follows a witness to its first access. A store that goes into a buffer is made where it leaves that.
    pub fn of(
        executor: &mut Executor<'_, E>,
        witness: &Witness,
        kept: &mut KeptStates<E>,
    ) -> Result<Self, Lost> {
        let decisions = &witness.recorded.decisions;
        let [first, second] = witness.instance.steps;
        let thread = witness.instance.threads[0];
        let (mut path, mut next) = kept.follow(executor, &witness.recorded, first)?;
        if !is_buffered(executor, &path.state, thread) {
            return Ok(Self { path, next, first: Maker::Thread(thread) });
        }
        let first = Maker::Buffer(thread, path.state.thread(thread).stores_issued & !AFTER_STORE_STORE);
        next = path.replay(executor, decisions, next)?;
        while next < second {
            if let Some(Decision::Run(agent)) = decisions.get(next)
                && first.is(executor, &path.state, *agent)
            {
                break;
            }
            next = path.replay(executor, decisions, next)?;
        }
        Ok(Self { path, next, first })
    }

    /// Holds the first access back until the second is next. `None` if it never is.
    pub fn meet(
        &self,
        executor: &mut Executor<'_, E>,
        witness: &Witness,
        others: Others,
        observer: &mut dyn Observer,
    ) -> Result<Option<Meeting<E>>, Lost> {
        let mut path = self.path.clone();
        let decisions = &witness.recorded.decisions;
        let mut random = match others {
            Others::Random(seed) => Some(fastrand::Rng::with_seed(seed)),
            _ => None,
        };
        let (mut next, mut running, mut turn) = (self.next, witness.instance.threads[1], 0);
        let patience = 5 * decisions.len() + 1_000;
        // Where the second thread was about to make some other access that conflicts.
        let mut elsewhere = None;
        let mut looks = Looks::at_once();
        for _ in 0..patience {
            if looks.is_due(executor.counters.instructions)
                && let Some(reason) = observer.progress(&Progress::default())
            {
                return Err(reason.to_string());
            }
            let arrived = self.arrived(executor, &path.state, witness);
            let is_there = matches!(arrived, Arrived::There);
            match arrived {
                Arrived::There if others != Others::AllButBoth => return self.met(executor, path, witness),
                Arrived::Elsewhere if elsewhere.is_none() => elsewhere = Some(path.clone()),
                _ => {}
            }
            let state = &path.state;
            let mine = Agent::Thread(witness.instance.threads[1]);
            let mut enabled: SmallVec<[Agent; 8]> = executor.enabled(state);
            enabled.retain(|agent| !(self.first.is(executor, state, *agent) || is_there && *agent == mine));
            if enabled.is_empty() && is_there {
                return self.met(executor, path, witness);
            }
            if enabled.is_empty() || state.end.is_some() {
                break;
            }
            let is_second_first = matches!(others, Others::SecondFirst | Others::AllButBoth);
            if is_second_first && enabled.contains(&mine) && turn < TURN_OF_HELD {
                turn += 1;
                running = mine.thread();
                if path.take(executor, mine, &mut |_| 0).is_err() {
                    break;
                }
                continue;
            }
            if others == Others::AsRecorded
                && let Some(at) = recorded_next(decisions, next, &enabled)
            {
                next = path.replay(executor, decisions, at)?;
                continue;
            }
            let agent = match &mut random {
                Some(random) => enabled[random.usize(..enabled.len())],
                None => next_in_turn(&enabled, running, &mut turn),
            };
            running = if agent.is_buffer() { running } else { agent.thread() };
            if path.take(executor, agent, &mut |_| 0).is_err() {
                break;
            }
        }
        // Another access of the thread is of another race, which has a class of its own. But if the thread
        // fails on its way, the failure may be for that access: in other executions it comes after the first
        // one.
        match elsewhere {
            Some(before) if matches!(path.state.end, Some(End::Failed(_))) => {
                self.met(executor, before, witness)
            }
            _ => Ok(None),
        }
    }

    /// Where memory remembers: goes on as recorded to a second access that reads. `None` if it does not.
    pub fn read_after(
        &self,
        executor: &mut Executor<'_, E>,
        witness: &Witness,
    ) -> Result<Option<Meeting<E>>, Lost> {
        let mut path = self.path.clone();
        let mut next = self.next;
        while next < witness.instance.steps[1] {
            next = path.replay(executor, &witness.recorded.decisions, next)?;
        }
        let thread = witness.instance.threads[1];
        let pending = path.state.threads.get(thread.index()).and_then(|known| known.pending.as_deref());
        let reads = matches!(pending.map(|pending| &pending.action), Some(Action::Load { .. }));
        let makers = [self.first, Maker::Thread(thread)];
        Ok(reads.then_some(Meeting { path, makers, is_read_after: true }))
    }

    /// Whether the second thread is about to make its access.
    fn arrived(&self, executor: &Executor<'_, E>, state: &State<E>, witness: &Witness) -> Arrived {
        let thread = witness.instance.threads[1];
        let Some(known) = state.threads.get(thread.index()) else { return Arrived::No };
        let agent = Agent::Thread(thread);
        if known.exited || known.pending.is_none() || !executor.enabled(state).contains(&agent) {
            return Arrived::No;
        }
        let range = witness.instance.range;
        let is_there = executor.position(state, thread) == witness.spans[1];
        // The memory that a call is about to touch need not be known before it does.
        let is_call =
            matches!(known.pending.as_deref().map(|pending| &pending.action), Some(Action::Model(_)));
        match touches(executor, state, thread, range) {
            Some(_) if is_there => Arrived::There,
            None if is_there && is_call => Arrived::There,
            Some(writes) if writes || witness.first_writes => Arrived::Elsewhere,
            _ => Arrived::No,
        }
    }

    fn met(
        &self,
        executor: &mut Executor<'_, E>,
        mut path: Path<E>,
        witness: &Witness,
    ) -> Result<Option<Meeting<E>>, Lost> {
        let thread = witness.instance.threads[1];
        let second = if is_buffered(executor, &path.state, thread) {
            let number = path.state.thread(thread).stores_issued & !AFTER_STORE_STORE;
            path.take(executor, Agent::Thread(thread), &mut |_| 0)?;
            Maker::Buffer(thread, number)
        } else {
            Maker::Thread(thread)
        };
        Ok(Some(Meeting { path, makers: [self.first, second], is_read_after: false }))
    }
}

/// Where a thread stands that is to make an access of a race.
enum Arrived {
    There,
    /// Before another access that conflicts.
    Elsewhere,
    No,
}

/// An access to memory that a thread is about to make.
#[derive(Clone, Copy)]
pub(super) struct NextAccess {
    pub range: ByteRange,
    pub writes: bool,
}

impl NextAccess {
    /// Whether both touch the same memory, and one of them writes.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.range.overlaps(other.range)
    }
}

/// The accesses to memory of the step before which a thread is parked, a store by what is stored, be
/// it buffered or not.
pub(super) fn next_accesses<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
) -> SmallVec<[NextAccess; 2]> {
    let pending = state.thread(thread).pending.as_deref();
    let Some(action) = pending.map(|pending| &pending.action) else { return SmallVec::new() };
    let one = |address: u64, length: u64, writes| {
        SmallVec::from_slice(&[NextAccess { range: ByteRange::new(address, length), writes }])
    };
    match action {
        Action::Load { address, length, .. } => one(*address, *length, false),
        Action::Store { address, length, .. } | Action::ReadModifyWrite { address, length, .. } => {
            one(*address, *length, true)
        }
        _ => {
            let footprint = executor.footprint(state, Agent::Thread(thread));
            let accesses = footprint.iter().filter_map(|access| match access.place {
                Place::Memory { start, end } => {
                    let range = ByteRange::new(start, end - start);
                    Some(NextAccess { range, writes: access.mode != Mode::Read })
                }
                _ => None,
            });
            accesses.collect()
        }
    }
}

/// Whether the next access of a thread touches the range, and whether it writes there.
fn touches<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    thread: ThreadId,
    range: ByteRange,
) -> Option<bool> {
    let accesses = next_accesses(executor, state, thread);
    let touching = accesses.iter().filter(|access| access.range.overlaps(range)).map(|access| access.writes);
    touching.reduce(|one, other| one || other)
}

/// The agent that goes on where threads take turns, of those that can: the one that runs, until its turn is
/// over.
fn next_in_turn(enabled: &[Agent], running: ThreadId, turn: &mut usize) -> Agent {
    *turn += 1;
    let goes_on = *turn < TURN_OF_HELD && enabled.contains(&Agent::Thread(running));
    if goes_on {
        return Agent::Thread(running);
    }
    *turn = 0;
    let behind = |agent: &&Agent| agent.is_buffer() || agent.thread() > running;
    *enabled.iter().find(behind).unwrap_or(&enabled[0])
}

/// The position of the next recorded step whose agent can take it.
fn recorded_next(decisions: &[Decision], from: usize, enabled: &[Agent]) -> Option<usize> {
    let step = |at: &usize| matches!(decisions[*at], Decision::Run(agent) if enabled.contains(&agent));
    (from..decisions.len()).find(step)
}
