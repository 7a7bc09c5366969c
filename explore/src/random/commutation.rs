//! Whether steps commute that their footprints call independent: an audit, for tests.
//!
//! Partial-order reduction explores one order of two adjacent steps whose footprints do not conflict. That is
//! sound only if both orders lead to the same state, neither step disables or enables the other, and neither
//! changes the other's footprint. The audit runs a program at random and tries, in each state on the way,
//! both orders of each such pair.
//!
//! An access to memory that threads do not share is no step of its own, since it commutes with all that other
//! threads do. In half of the executions it is one, and so is compared, too.

use crate::driver::{self, Decider, Reached};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use symx_expr::Term;
use symx_expr::solver::Solver;
use symx_interp::caches::sameness::{LiveRegisters, goes_on_alike, is_same_thread};
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::{Life, Object, Site};
use symx_interp::state::{End, State};
use symx_interp::stop::position::location;
use symx_interp::threads::thread::AFTER_STORE_STORE;
use symx_interp::threads::thread::{Action, Pending, Thread};
use symx_interp::value::Byte;
use symx_memmodel::{Entry, StoreBuffer};
use symx_trace::footprint::dependent;
use symx_trace::{Agent, Footprint, ThreadId};

/// By how much more steps an execution has in which each access to memory is one.
const FINER: u32 = 4;

/// How often a step may stop before its end (for a choice, or since it runs for long) until it is left out.
const MOST_STOPS: u32 = 16;

/// Steps in which a thread comes to a failure that is certain. A call whose object is gone is parked before
/// once for the object's life and once for its effect on the object.
const STEPS_TO_FAILURE: u32 = 2;

/// The results of an audit.
#[derive(Clone, Debug, Default)]
pub struct CommutationAudit {
    /// States in which pairs were looked at.
    pub states: u64,
    /// Pairs of independent steps of which both orders were executed and compared.
    pub pairs: u64,
    /// Pairs left out, since a step forks on a symbolic value, is pruned or cut, or runs for long. Left out,
    /// too, are pairs that discover shared memory, after which an exploration restarts.
    pub left_out: u64,
    /// Pairs that do not commute, each kind once.
    pub disagreements: Vec<Disagreement>,
}

/// Two steps called independent that do not commute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The steps, for people.
    pub steps: [String; 2],
    /// The evidence.
    pub difference: Difference,
}

/// Evidence that two steps do not commute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// One step cannot be taken after the other.
    Disabled,
    /// One step can be taken only after the other.
    Enabled,
    /// One step touches something else after the other.
    Footprint,
    /// The execution ends differently.
    End,
    /// A thread stands elsewhere, or has other values.
    Thread,
    /// Memory differs.
    Memory,
    /// This part of the environment's bookkeeping differs.
    Bookkeeping(&'static str),
}

/// Bounds of an audit.
#[derive(Clone, Copy, Debug)]
pub struct AuditLimits {
    /// Random executions.
    pub executions: u32,
    /// Steps of each at most.
    pub steps: u32,
}

/// Runs the program at random, from `seed` on, and tries both orders of each pair of independent steps on the
/// way.
pub fn audit_commutation<'m, E: Environment>(
    machine: &'m Machine<E>,
    solver: Box<dyn Solver + 'm>,
    seed: u64,
    limits: AuditLimits,
) -> CommutationAudit {
    let mut auditor = Auditor {
        executor: Executor::new(machine, solver),
        random: fastrand::Rng::with_seed(seed),
        sites: FxHashSet::default(),
        all_sites: FxHashSet::default(),
        audit: CommutationAudit::default(),
    };
    for _ in 0..limits.executions {
        auditor.run(limits.steps);
    }
    auditor.audit
}

struct Auditor<'m, E: Environment> {
    executor: Executor<'m, E>,
    random: fastrand::Rng,
    /// Sites that threads were found to share.
    sites: FxHashSet<Site>,
    /// All that memory was found to consist of.
    all_sites: FxHashSet<Site>,
    audit: CommutationAudit,
}

impl<E: Environment> Auditor<'_, E> {
    /// One execution. Pairs count once all that it shares is known to be shared: steps end elsewhere before.
    fn run(&mut self, most_steps: u32) {
        let is_fine = self.random.bool();
        let most_steps = if is_fine { most_steps * FINER } else { most_steps };
        loop {
            let visible = if is_fine { &self.all_sites | &self.sites } else { self.sites.clone() };
            self.executor.visible = Some(Arc::new(visible));
            // Some operations, as a fence, are steps of their own only in some walks.
            self.executor.stops_at_fences =
                self.executor.machine.model.buffers_stores() && self.random.bool();
            let seed = self.random.u64(..);
            let last = self.execute(seed, most_steps, false);
            let known = (self.sites.len(), self.all_sites.len());
            self.sites.extend(&last.discovered);
            last.memory.for_each(|object| {
                self.all_sites.insert(object.site);
            });
            let has_learned = self.executor.learn_numbers(&last) | self.executor.learned.apply_notes();
            if known == (self.sites.len(), self.all_sites.len()) && !has_learned {
                self.execute(seed, most_steps, true);
                return;
            }
        }
    }

    fn execute(&mut self, seed: u64, most_steps: u32, audits: bool) -> State<E> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut state = self.executor.machine.initial_state();
        for _ in 0..most_steps {
            let enabled = self.executor.enabled(&state);
            if state.end.is_some() || enabled.is_empty() {
                break;
            }
            if audits && state.discovered.is_empty() {
                self.compare_pairs(&state, &enabled);
            }
            let agent = enabled[random.usize(..enabled.len())];
            let (choice, follows_forks) = (random.u32(..), true);
            if self.take(&mut state, agent, choice, follows_forks).is_none() {
                break;
            }
        }
        state
    }

    /// Takes a step; alternatives go by `choice`. `None` if it cannot be followed to its end.
    fn take(&mut self, state: &mut State<E>, agent: Agent, choice: u32, follows_forks: bool) -> Option<()> {
        let mut chosen = Chosen { choice, follows_forks, left: MOST_STOPS };
        for _ in 0..MOST_STOPS {
            if driver::whole_step(&mut self.executor, state, agent, &mut chosen).ok()? == Reached::NextStep {
                return Some(());
            }
        }
        None
    }

    fn compare_pairs(&mut self, state: &State<E>, enabled: &[Agent]) {
        self.audit.states += 1;
        let all = state.threads.iter().filter(|thread| !thread.exited && thread.pending.is_some());
        let waiting = all.map(|thread| Agent::Thread(thread.id)).filter(|agent| !enabled.contains(agent));
        let with_footprint = |agent: Agent| (agent, self.executor.footprint(state, agent));
        let waiting: Vec<_> = waiting.map(with_footprint).collect();
        let steps: Vec<(Agent, Footprint)> = enabled.iter().copied().map(with_footprint).collect();
        for (at, first) in steps.iter().enumerate() {
            for second in &steps[at + 1..] {
                if !dependent(&first.1, &second.1) {
                    self.compare(state, first, second);
                }
            }
            for second in waiting.iter().filter(|second| !dependent(&first.1, &second.1)) {
                self.look_whether_enabled(state, first, second);
            }
        }
    }

    fn look_whether_enabled(
        &mut self,
        state: &State<E>,
        first: &(Agent, Footprint),
        waiting: &(Agent, Footprint),
    ) {
        let mut after = state.clone();
        if self.take(&mut after, first.0, 0, false).is_none() || after.end.is_some() {
            self.audit.left_out += 1;
            return;
        }
        self.audit.pairs += 1;
        if self.executor.enabled(&after).contains(&waiting.0) {
            self.disagree(state, [first.0, waiting.0], Difference::Enabled);
        }
    }

    fn compare(&mut self, state: &State<E>, first: &(Agent, Footprint), second: &(Agent, Footprint)) {
        let choice = self.random.u32(..);
        let orders = [[first, second], [second, first]];
        let mut ends = [state.clone(), state.clone()];
        let mut ended_early = [None, None];
        for (order, end) in orders.iter().zip(&mut ends) {
            let [earlier, later] = order;
            if self.take(end, earlier.0, choice, false).is_none() || !end.discovered.is_empty() {
                self.audit.left_out += 1;
                return;
            }
            if end.end.is_some() {
                ended_early[usize::from(earlier.0 == second.0)] = end.end.clone();
                continue;
            }
            if !self.executor.enabled(end).contains(&later.0) {
                return self.disagree(state, [earlier.0, later.0], Difference::Disabled);
            }
            if self.executor.footprint(end, later.0) != later.1 {
                return self.disagree(state, [earlier.0, later.0], Difference::Footprint);
            }
            if self.take(end, later.0, choice, false).is_none() || !end.discovered.is_empty() {
                self.audit.left_out += 1;
                return;
            }
        }
        self.audit.pairs += 1;
        ends.iter_mut().for_each(|end| self.pass_barriers(end));
        let difference = match ended_early {
            [None, None] => self.difference(&ends[0], &ends[1]),
            // The other step would have come too late: this one ends the execution after it, too.
            [Some(early), None] => (!ends_alike(&early, ends[1].end.as_ref())).then_some(Difference::End),
            [None, Some(early)] => (!ends_alike(&early, ends[0].end.as_ref())).then_some(Difference::End),
            [Some(_), Some(_)] => None,
        };
        if let Some(difference) = difference {
            self.disagree(state, [first.0, second.0], difference);
        }
    }

    /// Takes the steps of threads that stand before nothing but a barrier. Such a step is one only where
    /// stores were on their way when the thread came there. That depends on the order of steps that commute
    /// otherwise.
    fn pass_barriers(&mut self, state: &mut State<E>) {
        for _ in 0..MOST_STOPS {
            let Some(agent) = self.at_barrier(state) else { return };
            if self.take(state, agent, 0, false).is_none() {
                return;
            }
        }
    }

    /// An enabled thread that stands before a fence, or before memory of its own, as for a barrier.
    fn at_barrier(&self, state: &State<E>) -> Option<Agent> {
        let stands_there = |thread: &&Arc<Thread<E>>| {
            self.executor.stands_at_barrier(state, thread) && self.executor.can_step(state, thread)
        };
        let next = state.threads.iter().find(stands_there).filter(|_| state.end.is_none());
        next.map(|thread| Agent::Thread(thread.id))
    }

    fn difference(&mut self, one: &State<E>, other: &State<E>) -> Option<Difference> {
        let ends = match (&one.end, &other.end) {
            (None, None) => true,
            (Some(end), other) => ends_alike(end, other.as_ref()),
            (None, Some(_)) => false,
        };
        if !ends {
            return Some(Difference::End);
        }
        if one.threads.len() != other.threads.len() {
            return Some(Difference::Thread);
        }
        for (first, second) in one.threads.iter().zip(&other.threads) {
            if !self.is_same_thread(first, second) && !self.fails_alike([one, other], first.id) {
                return Some(Difference::Thread);
            }
        }
        let first_threads = one.threads.iter().map(|thread| thread.id);
        let processes: BTreeSet<ThreadId> = first_threads.map(|thread| one.process_of(thread)).collect();
        processes.into_iter().find_map(|process| {
            let [one, other] = [one, other].map(|state| self.executor.seen_by(state, process));
            if !self.has_same_memory(&one, &other) {
                return Some(Difference::Memory);
            }
            let environment = &self.executor.machine.environment;
            environment.difference(&one.data, &other.data).map(Difference::Bookkeeping)
        })
    }

    /// Whether a thread fails alike in its next steps in two states: what it touches until then does not
    /// matter.
    fn fails_alike(&mut self, states: [&State<E>; 2], thread: ThreadId) -> bool {
        let [one, other] = states.map(|state| {
            let (mut state, mut left) = (state.clone(), STEPS_TO_FAILURE);
            while left > 0 && state.end.is_none() {
                let enabled = self.executor.enabled(&state);
                let own = |agent: &&Agent| agent.thread() == thread;
                // Its stores leave their buffer first: it may wait for that.
                let next = enabled.iter().filter(own).max_by_key(|agent| agent.is_buffer());
                let Some(agent) = next.copied() else { break };
                left -= u32::from(!agent.is_buffer());
                if self.take(&mut state, agent, 0, false).is_none() {
                    break;
                }
            }
            state.end
        });
        matches!(&one, Some(end @ End::Failed(_)) if ends_alike(end, other.as_ref()))
    }

    /// Whether two threads go on in the same way: the same but for registers that do not matter any more. It
    /// is also ignored whether a store was issued after a barrier that is gone from the buffer.
    fn is_same_thread(&self, one: &Thread<E>, other: &Thread<E>) -> bool {
        let without_stores = |thread: &Thread<E>| {
            let mut thread = thread.clone();
            thread.buffer = StoreBuffer::default();
            thread
        };
        let waiting = |thread: &Thread<E>| -> Vec<_> {
            let store = |entry: &Entry<Byte>| {
                entry
                    .store()
                    .map(|store| (store.address, store.bytes.clone(), store.event & !AFTER_STORE_STORE))
            };
            thread.buffer.iter().map(store).collect()
        };
        if waiting(one) != waiting(other) {
            return false;
        }
        let [one, other] = [one, other].map(|thread| self.without_time(without_stores(thread)));
        let mut live = LiveRegisters::default();
        live.learn(self.executor.machine, &one);
        is_same_thread(&one, &other) || !one.exited && goes_on_alike(&one, &other, &live)
    }

    /// A thread without the preferred time of its next step.
    fn without_time(&self, mut thread: Thread<E>) -> Thread<E> {
        let environment = &self.executor.machine.environment;
        let pending = thread.pending.as_mut().map(Arc::make_mut);
        if let Some(Pending { action: Action::Model(operation), .. }) = pending {
            operation.wait = operation.wait.as_ref().map(|wait| environment.without_time(wait));
        }
        thread
    }

    /// Whether what is alive in memory is the same.
    fn has_same_memory(&self, one: &State<E>, other: &State<E>) -> bool {
        if one.memory.is_same(&other.memory, &[]) {
            return true;
        }
        let terms = &self.executor.machine.terms;
        let is_same = |one: &Object, other: &Object| {
            (one.base, one.size) == (other.base, other.size)
                && other.life == Life::Live
                && (one.has_same_contents(other)
                    || one == other
                    || (0..one.size).all(|offset| one.byte(terms, offset) == other.byte(terms, offset)))
        };
        let (mut is_there, mut alive) = (true, 0_i64);
        one.memory.for_each(|object| {
            if object.life == Life::Live {
                alive += 1;
                is_there &= other.memory.near(object.base).is_some_and(|there| is_same(object, there));
            }
        });
        other.memory.for_each(|object| alive -= i64::from(object.life == Life::Live));
        is_there && alive == 0
    }

    fn disagree(&mut self, state: &State<E>, agents: [Agent; 2], difference: Difference) {
        let describe = |agent: Agent| {
            let kind = self.executor.event_kind(state, agent);
            let thread = agent.thread();
            let place = location(&self.executor.machine.program, self.executor.position(state, thread));
            let footprint = self.executor.footprint(state, agent);
            let name = &state.thread(thread).name;
            format!("{kind:?} of thread {name} at {}:{} touching {footprint:?}", place.file, place.line)
        };
        let disagreement = Disagreement { steps: agents.map(describe), difference };
        if !self.audit.disagreements.contains(&disagreement) {
            self.audit.disagreements.push(disagreement);
        }
    }
}

fn ends_alike(end: &End, other: Option<&End>) -> bool {
    match (end, other) {
        (End::Failed(one), Some(End::Failed(other))) => one.same_fault(other),
        (End::Exit(one), Some(End::Exit(other))) => one.status == other.status,
        _ => false,
    }
}

/// One alternative for all choices of a step, which may have at most this many; symbolic values go the first
/// way, if any.
struct Chosen {
    choice: u32,
    follows_forks: bool,
    left: u32,
}

impl Chosen {
    fn goes_on(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

impl<E: Environment> Decider<E> for Chosen {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        self.goes_on().then_some(self.choice % count)
    }

    fn branch(&mut self, _: &mut Executor<'_, E>, _: &State<E>, _: Agent, ways: &[Term]) -> Option<Term> {
        let goes_on = self.follows_forks && self.goes_on();
        ways.first().copied().filter(|_| goes_on)
    }
}
