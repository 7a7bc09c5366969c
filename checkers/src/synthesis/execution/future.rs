//! The future of an execution: the paths are given, so it is known which thread will touch what.

use crate::synthesis::execution::machine::State;
use crate::synthesis::limits::MOST_NEEDED;
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::locks::Lock;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use symx_expr::Term;
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

/// How far a thread goes on touching something: one more than the place of its last event that does.
#[derive(Clone, Copy, Default, Debug)]
struct Last {
    reads: usize,
    writes: usize,
}

/// The dependences of a problem's events, and until when they last.
#[derive(Debug)]
pub(in crate::synthesis) struct Future {
    /// By event, the locations it accesses.
    locations: Vec<Range<usize>>,
    /// By location, what matters of it: reads that something depends on, and writes if there are any such.
    touched: Vec<HashMap<usize, Last>>,
    /// By location and thread, the places of reads that something depends on.
    reads: Vec<HashMap<usize, Vec<usize>>>,
    /// By location, whether all threads that access it hold the same lock.
    guarded: Vec<bool>,
    /// By object and thread, until when the thread takes it, or waits there.
    taken: Vec<HashMap<usize, usize>>,
    /// By event that reads, the place in its thread from which on nothing depends on what was read.
    needed: Vec<usize>,
    /// By thread and place, the last reads before it that something after it depends on.
    needed_at: Vec<Vec<Box<[EventId]>>>,
}

impl Future {
    pub(in crate::synthesis) fn new(problem: &Problem) -> Self {
        let execution = &problem.execution;
        let locations: Vec<_> = problem.events().map(|event| problem.locations_of(event)).collect();
        let is_needed = needed_reads(problem, &locations);
        let mut touched = vec![HashMap::<usize, Last>::new(); execution.locations.len()];
        let mut reads = vec![HashMap::new(); execution.locations.len()];
        let mut taken = vec![HashMap::new(); problem.trace.objects.len()];
        for event in problem.events() {
            let position = problem.position(event);
            let operation = problem.operation(event);
            let until = position.index + 1;
            for location in locations[event.index()].clone() {
                let last = touched[location].entry(position.thread).or_default();
                if is_needed[event.index()] {
                    last.reads = until;
                    reads[location].entry(position.thread).or_insert_with(Vec::new).push(position.index);
                }
                if operation.written().is_some() {
                    last.writes = until;
                }
            }
            acquired_objects(operation)
                .for_each(|object| _ = taken[object.0 as usize].insert(position.thread, until));
        }
        touched
            .iter_mut()
            .filter(|touched| touched.values().all(|last| last.reads == 0))
            .for_each(HashMap::clear);
        let guarded = guarded(problem, &locations, execution.locations.len());
        let needed = needed_until(problem);
        let needed_at = needed_at(problem, &needed, &is_needed);
        Self { locations, touched, reads, guarded, taken, needed, needed_at }
    }

    /// The reads that distinguish a thread's states when it stands at a place.
    pub(in crate::synthesis) fn needed_at(&self, thread: usize, place: usize) -> &[EventId] {
        &self.needed_at[thread][place]
    }

    /// Whether what a location holds still matters.
    pub(in crate::synthesis) fn is_read_later(&self, state: &State, location: usize) -> bool {
        let is_read = |(thread, last): (&usize, &Last)| last.reads > state.executed(*thread);
        self.touched[location].iter().any(is_read)
    }

    /// By event, the locations it accesses.
    pub(in crate::synthesis) fn locations(&self) -> &[Range<usize>] {
        &self.locations
    }

    /// Whether two events access the same location.
    pub(in crate::synthesis) fn overlap(&self, one: EventId, other: EventId) -> bool {
        let (one, other) = (&self.locations[one.index()], &self.locations[other.index()]);
        one.start < other.end && other.start < one.end
    }

    /// Whether an event is an access to memory that commutes with all that other threads may do before
    /// the thread's next step.
    pub(in crate::synthesis) fn is_free_of_others(
        &self,
        problem: &Problem,
        state: &State,
        event: EventId,
    ) -> bool {
        problem.operation(event).span().is_some() && self.is_free(problem, state, event)
    }

    /// Whether an event commutes with all that other threads may do before the thread's next step.
    pub(in crate::synthesis) fn is_free(&self, problem: &Problem, state: &State, event: EventId) -> bool {
        let thread = problem.position(event).thread;
        let others_take = |object| self.others_take(state, thread, object);
        match *problem.operation(event) {
            Operation::Read { .. } => self.is_free_access(state, thread, event, false),
            Operation::Write { .. } | Operation::ReadModifyWrite { .. } | Operation::Effect { .. } => {
                self.is_free_access(state, thread, event, true)
            }
            Operation::Signal(object) | Operation::Broadcast(object) => !others_take(object),
            ref operation => operation.taken().is_none_or(|object| !others_take(object)),
        }
    }

    fn is_free_access(&self, state: &State, thread: usize, event: EventId, writes: bool) -> bool {
        self.locations[event.index()].clone().all(|location| {
            let touches = |(other, last): (&usize, &Last)| {
                let done = state.executed(*other);
                *other != thread && (last.writes > done || writes && last.reads > done)
            };
            self.guarded[location] || !self.touched[location].iter().any(touches)
        })
    }

    /// The other threads that will still take an object, or wait there.
    pub(in crate::synthesis) fn takers(
        &self,
        state: &State,
        thread: usize,
        object: ObjectRef,
    ) -> impl Iterator<Item = usize> {
        let taken = self.taken[object.0 as usize].iter();
        taken
            .filter(move |(other, until)| **other != thread && **until > state.executed(**other))
            .map(|(other, _)| *other)
    }

    /// Whether other threads will still take an object, or wait there.
    pub(in crate::synthesis) fn others_take(&self, state: &State, thread: usize, object: ObjectRef) -> bool {
        self.takers(state, thread, object).next().is_some()
    }

    /// Whether all other threads that are to read a location cannot do so before a thread's write to it, the
    /// last of all. Their next reads ask for what it holds from then on.
    pub(in crate::synthesis) fn is_awaited(
        &self,
        problem: &Problem,
        state: &State,
        thread: usize,
        location: usize,
        asks: impl Fn(EventId) -> bool,
    ) -> bool {
        self.touched[location].iter().filter(|(other, _)| **other != thread).all(|(other, last)| {
            let done = state.executed(*other);
            let reads = self.reads[location].get(other).map_or(&[][..], |reads| reads);
            let next = reads.get(reads.partition_point(|index| *index < done));
            last.writes <= done && next.is_none_or(|next| asks(problem.event(*other, *next)))
        })
    }

    /// How many events of its thread have happened when nothing depends any more on what an event has read.
    pub(in crate::synthesis) fn needed_until(&self, event: EventId) -> usize {
        self.needed[event.index()]
    }

    /// Whether something still depends on what an event of a thread has read.
    pub(in crate::synthesis) fn is_needed(&self, state: &State, thread: usize, event: EventId) -> bool {
        self.needed[event.index()] > state.executed(thread)
    }
}

/// The objects that an operation needs for itself, or listens at.
fn acquired_objects(operation: &Operation) -> impl Iterator<Item = ObjectRef> {
    let waits_at = match *operation {
        Operation::WaitBegin(wait) | Operation::WaitSignalled(wait) | Operation::WaitElapsed(wait) => {
            Some([wait.mutex, wait.condition])
        }
        _ => None,
    };
    operation.taken().into_iter().chain(waits_at.into_iter().flatten())
}

/// By event, whether a condition depends on what it reads, be it by way of memory.
fn needed_reads(problem: &Problem, locations: &[Range<usize>]) -> Vec<bool> {
    let mut reader_of: HashMap<Term, EventId> = HashMap::new();
    for event in problem.events() {
        let symbol = problem.operation(event).symbol();
        symbol.map(|symbol| reader_of.insert(problem.term(symbol), event));
    }
    let mut needed = vec![false; problem.event_count()];
    let mut seen: HashSet<Term> = HashSet::new();
    let mut open: Vec<Term> = problem.conditions().collect();
    let mut met = vec![false; problem.execution.locations.len()];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        open.extend(problem.terms.node(term).operands());
        let Some(event) = reader_of.get(&term) else { continue };
        needed[event.index()] = true;
        for location in locations[event.index()].clone() {
            if !std::mem::replace(&mut met[location], true) {
                let writes = problem.execution.locations[location].coherence.iter();
                let written = writes.filter_map(|write| problem.operation(EventId(*write as u32)).written());
                open.extend(written.map(|value| problem.term(value)));
            }
        }
    }
    needed
}

/// By location, whether all accesses lie in sections of one lock that exclude each other.
fn guarded(problem: &Problem, locations: &[Range<usize>], count: usize) -> Vec<bool> {
    let mut held: Vec<Vec<u32>> = vec![Vec::new(); problem.event_count()];
    for (number, object) in problem.trace.objects.iter().enumerate() {
        if !matches!(object.kind, ObjectKind::Mutex | ObjectKind::ReadWriteLock) {
            continue;
        }
        for section in Lock::of(problem, ObjectRef(number as u32)).sections.iter().filter(|one| one.excludes)
        {
            let end = section.end.or(problem.events_of(section.thread).next_back());
            (section.begin.0..=end.map_or(section.begin.0, |end| end.0))
                .for_each(|event| held[event as usize].push(number as u32));
        }
    }
    let mut common: Vec<Option<Vec<u32>>> = vec![None; count];
    for (held, locations) in held.iter().zip(locations) {
        for location in locations.clone() {
            match &mut common[location] {
                None => common[location] = Some(held.clone()),
                Some(common) => common.retain(|lock| held.contains(lock)),
            }
        }
    }
    common.into_iter().map(|common| common.is_some_and(|common| !common.is_empty())).collect()
}

/// By event that reads, the place in its thread from which on no condition and no write depends on the value
/// read. It is beyond the end where another thread's do, or the bug.
fn needed_until(problem: &Problem) -> Vec<usize> {
    let mut reader_of: HashMap<Term, EventId> = HashMap::new();
    for event in problem.events() {
        let symbol = problem.operation(event).symbol();
        symbol.map(|symbol| reader_of.insert(problem.term(symbol), event));
    }
    let mut needed = vec![0; problem.event_count()];
    let mut uses: Vec<(Option<usize>, usize, Term)> = vec![(None, 0, problem.bug())];
    for (thread, trace) in problem.trace.threads.iter().enumerate() {
        uses.extend(
            trace.conditions.iter().map(|one| (Some(thread), one.after as usize, problem.term(one.term))),
        );
        let writes = problem.events_of(thread).filter_map(|event| {
            Some((
                Some(thread),
                problem.position(event).index + 1,
                problem.term(problem.operation(event).written()?),
            ))
        });
        uses.extend(writes);
    }
    // The last use of a term is the last of all it is part of. Each is visited once a thread, from its last
    // use on.
    uses.sort_unstable_by_key(|(_, until, _)| std::cmp::Reverse(*until));
    let mut seen: HashSet<(Option<usize>, Term)> = HashSet::new();
    for (thread, until, term) in uses {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert((thread, term)) {
                continue;
            }
            open.extend(problem.terms.node(term).operands());
            if let Some(event) = reader_of.get(&term) {
                let is_own = thread == Some(problem.position(*event).thread);
                let until = if is_own { until } else { usize::MAX };
                needed[event.index()] = until.max(needed[event.index()]);
            }
        }
    }
    needed
}

fn needed_at(problem: &Problem, needed: &[usize], is_needed: &[bool]) -> Vec<Vec<Box<[EventId]>>> {
    let of_thread = |thread: usize| {
        let mut open: Vec<EventId> = Vec::new();
        let mut places: Vec<Box<[EventId]>> = vec![Box::default()];
        for (index, event) in problem.events_of(thread).enumerate() {
            if is_needed[event.index()] {
                open.push(event);
            }
            open.retain(|read| needed[read.index()] > index + 1);
            if open.len() > MOST_NEEDED {
                open.remove(0);
            }
            places.push(open.as_slice().into());
        }
        places
    };
    (0..problem.thread_count()).map(of_thread).collect()
}
