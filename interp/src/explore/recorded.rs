//! The symbolic trace of recorded paths, whose schedule nobody knows (CLAP section 3).
//!
//! Threads run along their recorded paths in about the order in which their recorded calls began. What a read of shared
//! memory returns then is a guess: where a thread would leave its path, a value is taken that takes it on, of those that
//! somebody writes there if there is one, and the threads run anew. In the end every thread stands where it stood
//! when the process ended, and its path conditions are those of the recorded run. Whether there is a schedule under which reads
//! return what the paths need is left to synthesis.

use crate::agents::Step;
use crate::environment::Environment;
use crate::machine::{Executor, Machine};
use crate::memory::Site;
use crate::state::{End, State};
use crate::symbolic_trace::{Happening, Mark, NotTraced, Traced, Tracer, build};
use crate::thread::Thread;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_expr::{BitVector, Evaluator, Term, evaluate};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::ByteRange;
use symx_trace::{Agent, Failure, FailureKind, ThreadId, ThreadName};

/// What reads are taken to return, by thread and the number of the event.
pub(crate) type Guesses = FxHashMap<(ThreadName, usize), BitVector>;

/// Orders of synchronisation that are tried.
const ORDERS: u64 = 16;

/// How many conditions back one is looked for that settled what a later branch depends on.
const SETTLED: usize = 8;

/// The trace of recorded paths, and how it came about.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The trace; its order is that of no execution.
    pub traced: Traced,
    /// What of memory counts as visible, ascending.
    pub visible: Vec<Site>,
    /// How often the threads were run.
    pub attempts: u64,
}

/// The symbolic trace of the paths that [`Options::guide`](crate::machine::Options::guide) has, up to the failure they
/// end in. `visible` is what of memory is known to be shared; runs threads anew while `goes_on`.
pub fn recorded_trace<E: Environment>(
    machine: &Machine<E>,
    new_solver: &dyn Fn() -> Box<dyn Solver>,
    visible: &[Site],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Recorded, NotTraced> {
    if machine.options.guide.is_none() {
        return Err(not_traced("paths that nobody recorded"));
    }
    if machine.model.keeps_history() {
        return Err(not_traced(&format!("the memory model `{}`", machine.model.name())));
    }
    let mut sites: FxHashSet<Site> = visible.iter().copied().collect();
    let mut search = Search::default();
    let mut attempts = 0;
    let mut why = not_traced("recorded paths within the time given");
    while goes_on() && search.order < ORDERS {
        attempts += 1;
        let mut executor = Executor::new(machine, new_solver());
        let mut known: Vec<Site> = sites.iter().copied().collect();
        known.sort_unstable();
        executor.begin_trace(Some(&known));
        if let Some(tracer) = &mut executor.tracer {
            tracer.guesses = search.guesses.clone();
            tracer.private = search.private.clone().unwrap_or_default();
        }
        let random = (search.order > 0).then(|| fastrand::Rng::with_seed(search.order));
        let state = machine.initial_state();
        let mut run =
            Run { executor, state, random, failing: None, stalled: Vec::new(), discovered: Vec::new() };
        let came_to = run.follow_paths()?;
        let found = run.discovered.iter().chain(&run.state.discovered).copied().collect::<Vec<_>>();
        let before = sites.len();
        sites.extend(found);
        if sites.len() > before {
            // Other accesses are events now.
            search.begin_anew(search.order);
            continue;
        }
        match came_to {
            CameTo::Failure(_) if search.private.is_none() => {
                // Once more, as it is known now which objects threads share.
                let private = run.executor.tracer.as_ref().map(|tracer| tracer.accessed_by_one());
                search = Search::new(search.order, private.unwrap_or_default());
            }
            CameTo::Failure(failure) => {
                let Run { mut executor, state, .. } = run;
                let ending = executor.end_of_trace(&state, Some(failure))?;
                let traced = build(&mut executor, &state, ending, false)?;
                return Ok(Recorded { traced, visible: known, attempts });
            }
            CameTo::Deviation { thread, first } => {
                if !search.repair(&mut run, thread, first) {
                    why = run.executor.untraced(
                        "a recorded path along which no value read leads",
                        run.executor.position(&run.state, thread),
                    );
                    search.begin_anew(search.order + 1);
                }
            }
            CameTo::Nothing(reason) => {
                why = not_traced(reason);
                search.begin_anew(search.order + 1);
            }
        }
    }
    Err(why)
}

fn not_traced(what: &str) -> NotTraced {
    NotTraced { what: what.into(), location: None }
}

/// What running the threads came to.
enum CameTo {
    /// The failure in which the recorded run ended.
    Failure(Failure),
    /// A thread leaves its path, or does not fail where it should: one of its conditions from this one on must not hold.
    Deviation { thread: ThreadId, first: usize },
    /// Something else.
    Nothing(&'static str),
}

/// Threads on their way along recorded paths.
struct Run<'m, E: Environment> {
    executor: Executor<'m, E>,
    state: State<E>,
    /// Chooses who goes on, in place of the recorded clock.
    random: Option<fastrand::Rng>,
    /// The thread that stands before its failure.
    failing: Option<ThreadId>,
    /// Threads that would leave their paths if they went on now.
    stalled: Vec<ThreadId>,
    /// Sites found to be shared in steps that were taken back.
    discovered: Vec<Site>,
}

/// What became of a step.
enum Stepped {
    Done,
    /// It leads beyond the thread's record.
    Beyond,
    /// It leaves the recorded path.
    Off,
}

impl<E: Environment> Run<'_, E> {
    fn follow_paths(&mut self) -> Result<CameTo, NotTraced> {
        let guide = self.executor.machine.options.guide.clone().expect("asked for before");
        let culprit = |state: &State<E>| {
            let name = guide.failing_thread()?;
            state.threads.iter().find(|thread| thread.name.to_string() == name).map(|thread| thread.id)
        };
        while let Some((agent, is_last_resort)) = self.next() {
            let thread = agent.thread();
            let events = self.event_count();
            let conditions = self.conditions(thread);
            let before = self.state.clone();
            let mark = self.executor.tracer.as_ref().map(|tracer| tracer.mark(thread)).expect("tracing");
            match self.step(agent)? {
                Stepped::Done => {
                    if self.event_count() > events {
                        self.stalled.clear();
                    }
                }
                // What it reads may be written yet.
                Stepped::Off if !is_last_resort => {
                    self.take_back(before, &mark);
                    self.stalled.push(thread);
                    continue;
                }
                Stepped::Beyond => {
                    self.take_back(before, &mark);
                    if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
                        cursor.finished = true;
                    }
                    continue;
                }
                Stepped::Off => {
                    // If no condition was met on the way, the branch depends on what earlier ones have settled.
                    let now = self.conditions(thread);
                    let back = if now > conditions { 1 } else { SETTLED };
                    return Ok(CameTo::Deviation { thread, first: now.saturating_sub(back) });
                }
            }
            match &self.state.end {
                None => {}
                Some(End::Failed(failure)) if guide.accepts(&self.state, failure) => {
                    // The others go on first. What it has read stays.
                    self.keep_what_was_read(thread, &mark);
                    self.take_back(before, &mark);
                    self.failing = Some(thread);
                }
                Some(End::Failed(_)) if !is_last_resort => {
                    self.take_back(before, &mark);
                    self.stalled.push(thread);
                }
                Some(End::Failed(_)) if self.conditions(thread) > conditions => {
                    return Ok(CameTo::Deviation { thread, first: self.last_condition(thread) });
                }
                Some(End::Failed(_)) => return Ok(CameTo::Nothing("another failure than the recorded one")),
                Some(End::Exit(_)) => return Ok(CameTo::Nothing("an exit before the recorded failure")),
            }
        }
        let failing = self.failing.or_else(|| culprit(&self.state));
        let is_at_end = |thread: &Arc<Thread<E>>| {
            thread.exited
                || Some(thread.id) == failing
                || thread.guide.as_ref().is_none_or(|cursor| guide.is_followed(&thread.name, cursor))
        };
        if !self.state.threads.iter().all(is_at_end) {
            return Ok(CameTo::Nothing("an order of synchronisation in which threads wait that went on"));
        }
        let Some(thread) = failing else { return Ok(self.all_wait()) };
        // Last of all it fails.
        if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
            cursor.finished = false;
        }
        let agent = Agent::Thread(thread);
        if !self.executor.enabled(&self.state).contains(&agent) {
            return Ok(CameTo::Nothing("an order of synchronisation in which the failing thread waits"));
        }
        let first = self.conditions(thread);
        self.step(agent)?;
        match &self.state.end {
            Some(End::Failed(failure)) if guide.accepts(&self.state, failure) => {
                Ok(CameTo::Failure((**failure).clone()))
            }
            _ => Ok(CameTo::Deviation { thread, first }),
        }
    }

    /// Nobody can go on, and nobody was seen to fail.
    fn all_wait(&mut self) -> CameTo {
        self.executor.stuck(&mut self.state);
        let guide = self.executor.machine.options.guide.as_ref();
        match &self.state.end {
            Some(End::Failed(failure))
                if failure.kind == FailureKind::Deadlock
                    && guide.is_some_and(|guide| guide.accepts(&self.state, failure)) =>
            {
                CameTo::Failure((**failure).clone())
            }
            _ => CameTo::Nothing("an order of synchronisation in which threads wait that went on"),
        }
    }

    fn event_count(&self) -> usize {
        self.executor.tracer.as_ref().map_or(0, |tracer| tracer.order.len())
    }

    /// Who goes on, as the recorded clock says, and whether only threads are left that would leave their paths, or that
    /// are in the last of their recorded calls, which may never have returned.
    fn next(&mut self) -> Option<(Agent, bool)> {
        let guide = self.executor.machine.options.guide.as_ref()?;
        let mut enabled = self.executor.enabled(&self.state);
        enabled.retain(|agent| Some(agent.thread()) != self.failing);
        let when = |agent: &Agent| {
            let thread = self.state.thread(agent.thread());
            let call = thread.guide.as_ref().map_or(u64::MAX, |cursor| guide.next_call(&thread.name, cursor));
            (agent.is_buffer(), call)
        };
        let stalls = |agent: &Agent| !agent.is_buffer() && self.stalled.contains(&agent.thread());
        let goes_on = |agent: &Agent| !stalls(agent) && when(agent).1 < u64::MAX;
        let is_last_resort = !enabled.iter().any(goes_on);
        if !is_last_resort {
            enabled.retain(|agent| goes_on(agent));
        } else if enabled.iter().any(stalls) {
            enabled.retain(|agent| stalls(agent));
        }
        let chosen = match &mut self.random {
            Some(random) if !enabled.is_empty() => Some(enabled[random.usize(..enabled.len())]),
            Some(_) => None,
            None => enabled.into_iter().min_by_key(when),
        };
        chosen.map(|agent| (agent, is_last_resort))
    }

    fn take_back(&mut self, before: State<E>, mark: &Mark) {
        self.discovered.extend(self.state.discovered.iter().copied());
        self.state = before;
        if let Some(tracer) = &mut self.executor.tracer {
            tracer.undo(mark);
        }
    }

    fn conditions(&self, thread: ThreadId) -> usize {
        let followed = self.executor.tracer.as_ref().and_then(|tracer| tracer.threads.get(thread.index()));
        followed.map_or(0, |followed| followed.conditions.len())
    }

    fn last_condition(&self, thread: ThreadId) -> usize {
        self.conditions(thread).saturating_sub(1)
    }

    /// What a thread has read since the mark is what it is to read again.
    fn keep_what_was_read(&mut self, thread: ThreadId, mark: &Mark) {
        let from = mark.events;
        let name = self.state.thread(thread).name.clone();
        let Some(tracer) = &mut self.executor.tracer else { return };
        let read = tracer.threads.get(thread.index()).map_or(&[][..], |followed| &followed.events[from..]);
        let read: Vec<(usize, Term)> =
            (from..).zip(read).filter_map(|(number, event)| Some((number, event.what.symbol()?))).collect();
        for (number, symbol) in read {
            if let Some(value) = tracer.values.get(symbol).cloned() {
                tracer.guesses.insert((name.clone(), number), value);
            }
        }
    }

    fn step(&mut self, agent: Agent) -> Result<Stepped, NotTraced> {
        self.executor.before_step(&self.state, agent);
        let mut step = self.executor.step(&mut self.state, agent);
        loop {
            step = match step {
                Step::Done | Step::Paused => return Ok(Stepped::Done),
                Step::Choose(count) => {
                    let choice = self.random.as_mut().map_or(0, |random| random.u32(..count));
                    self.state.alternative = Some(choice);
                    self.executor.resume(&mut self.state, agent.thread(), true)
                }
                Step::Pruned => {
                    let cursor = self.state.thread(agent.thread()).guide.as_ref();
                    let beyond = cursor.is_some_and(|cursor| cursor.finished);
                    return Ok(if beyond { Stepped::Beyond } else { Stepped::Off });
                }
                Step::Fork { .. } => {
                    return Err(self.executor.untraced("a symbolic value without a value", SpanId::UNKNOWN));
                }
                Step::Cut(cut) => {
                    return Err(self.executor.untraced(&format!("{} {}", cut.reason, cut.what), cut.span));
                }
            };
        }
    }
}

/// The search for values under which threads follow their paths.
#[derive(Default)]
struct Search {
    guesses: Guesses,
    /// Values that were guessed before, by thread and event.
    tried: FxHashSet<(ThreadName, usize, BitVector)>,
    /// Values seen at places of memory.
    values: FxHashMap<(u64, u64), Vec<BitVector>>,
    /// Which order of threads.
    order: u64,
    /// Objects that one thread alone accesses, once that is known.
    private: Option<Arc<FxHashSet<Cell>>>,
}

impl Search {
    fn new(order: u64, private: FxHashSet<Cell>) -> Self {
        Self { order, private: Some(Arc::new(private)), ..Self::default() }
    }

    fn begin_anew(&mut self, order: u64) {
        *self = Self { order, ..Self::default() };
    }

    /// Guesses another value for something that one of the thread's conditions from `first` on depends on, so that it
    /// does not hold. Returns whether there was one that was not tried before.
    fn repair<E: Environment>(&mut self, run: &mut Run<'_, E>, thread: ThreadId, first: usize) -> bool {
        let terms = Arc::clone(&run.executor.machine.terms);
        let Some(tracer) = run.executor.tracer.take() else { return false };
        let Some(followed) = tracer.threads.get(thread.index()) else { return false };
        let path: Vec<Term> = followed.conditions.iter().map(|held| held.term).collect();
        for at in (first..path.len()).rev() {
            for (reader, number, symbol) in reads_in(run, &tracer, path[at]).iter().rev() {
                let name = run.state.thread(*reader).name.clone();
                for value in self.values_for(run, &tracer, *reader, *number) {
                    let mut values = tracer.values.clone();
                    values.set(*symbol, value.clone());
                    let mut under = Evaluator::new(&terms, &values);
                    let leads_on =
                        !under.is_true(path[at]) && path[..at].iter().all(|term| under.is_true(*term));
                    if leads_on && self.tried.insert((name.clone(), *number, value.clone())) {
                        self.guess(name, *number, value);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Values that the place of a read has or gets, in this attempt or in an earlier one.
    fn values_for<E: Environment>(
        &mut self,
        run: &Run<'_, E>,
        tracer: &Tracer,
        reader: ThreadId,
        number: usize,
    ) -> Vec<BitVector> {
        let Some(range) = tracer.threads[reader.index()].events[number].what.range() else {
            return Vec::new();
        };
        let known = self.values.entry((range.address, range.length)).or_default();
        for value in written(run, tracer, reader, number) {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        known.clone()
    }

    /// Takes a read to return this; what the thread reads later is open again.
    fn guess(&mut self, thread: ThreadName, number: usize, value: BitVector) {
        self.guesses.retain(|(other, later), _| *other != thread || *later <= number);
        self.guesses.insert((thread, number), value);
    }
}

/// The reads whose symbols a term has, in the order of their events.
fn reads_in<E: Environment>(run: &Run<'_, E>, tracer: &Tracer, term: Term) -> Vec<(ThreadId, usize, Term)> {
    let terms = &run.executor.machine.terms;
    let (mut seen, mut open) = (FxHashSet::default(), vec![term]);
    while let Some(current) = open.pop() {
        if seen.insert(current) {
            open.extend(terms.node(current).operands());
        }
    }
    let mut reads = Vec::new();
    for (thread, followed) in (0..).map(ThreadId).zip(&tracer.threads) {
        for (number, event) in followed.events.iter().enumerate() {
            if let Some(symbol) = event.what.symbol().filter(|symbol| seen.contains(symbol)) {
                reads.push((thread, number, symbol));
            }
        }
    }
    reads
}

/// Values that the place of a read has or gets, each once.
fn written<E: Environment>(
    run: &Run<'_, E>,
    tracer: &Tracer,
    reader: ThreadId,
    number: usize,
) -> Vec<BitVector> {
    let terms = &run.executor.machine.terms;
    let mut values: Vec<BitVector> = Vec::new();
    let Some(range) = tracer.threads[reader.index()].events[number].what.range() else { return values };
    let mut add = |value: BitVector| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    for event in tracer.threads.iter().flat_map(|followed| &followed.events) {
        let (Some(place), Some(term)) = (event.what.range(), event.what.written()) else { continue };
        if place == range {
            add(evaluate(terms, term, &tracer.values));
        }
    }
    if let Some(object) = Cell::of(range.address).and_then(|cell| tracer.before.get(&cell)) {
        let offset = range.address - object.base;
        let bytes = (0..range.length).rev().map(|at| object.byte(terms, offset + at).term(terms));
        if let Some(value) = bytes.reduce(|high, low| terms.concat(high, low)) {
            add(evaluate(terms, value, &tracer.values));
        }
    }
    values
}

impl Happening {
    /// The symbol of what it reads.
    fn symbol(&self) -> Option<Term> {
        match self {
            Self::Read { symbol, .. } | Self::Update { symbol, .. } => Some(*symbol),
            _ => None,
        }
    }

    /// What it writes.
    fn written(&self) -> Option<Term> {
        match self {
            Self::Write { value, .. } => Some(*value),
            Self::Update { value, .. } => *value,
            _ => None,
        }
    }

    /// The bytes it accesses.
    fn range(&self) -> Option<ByteRange> {
        match *self {
            Self::Read { address, length, .. }
            | Self::Write { address, length, .. }
            | Self::Update { address, length, .. } => Some(ByteRange::new(address, length)),
            _ => None,
        }
    }
}
