//! Reports of data races: the two threads, their accesses, where both were, and the locks that they held.

use crate::access::object_names::Names;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::machine::races::{Instance, SeenRace};
use crate::memory::Site;
use crate::state::State;
use crate::stop::Fault;
use crate::stop::position::{FramePosition, TakenLock, ThreadPosition, location};
use std::sync::Arc;
use symx_ir::{SourceName, SpanId};
use symx_memmodel::{AccessKind, ByteRange, RaceDetector};
use symx_trace::explanation::lock_mode;
use symx_trace::{Failure, FailureDetail, FailureKind, Race, RaceAccess, ThreadId};

/// What a thread does that races with an earlier access.
#[derive(Clone, Copy)]
pub(crate) enum Later {
    /// It accesses the same memory.
    Accesses(AccessKind),
    /// It ends the life of the variable. That is no access, and so no data race by C11.
    EndsLife,
}

impl From<AccessKind> for Later {
    fn from(kind: AccessKind) -> Self {
        Self::Accesses(kind)
    }
}

impl Later {
    /// Whether nothing may be read there beside it.
    fn writes(self) -> bool {
        match self {
            Self::Accesses(kind) => kind.writes,
            Self::EndsLife => true,
        }
    }
}

/// Two accesses that race: one that a thread is performing, and an earlier one.
#[derive(Clone, Copy)]
struct Encounter<'r> {
    thread: ThreadId,
    range: ByteRange,
    own: Later,
    other: AccessKind,
    /// Where the other thread stood when it accessed.
    there: &'r ThreadPosition,
}

impl<E: Environment> Executor<'_, E> {
    /// Notes an access of `thread` without a report; `span` is that of the instruction, if it is one's.
    pub(crate) fn note_quietly(
        &mut self,
        state: &State<E>,
        races: &mut RaceDetector<Arc<ThreadPosition>>,
        (thread, span): (ThreadId, SpanId),
        range: ByteRange,
        mut kind: AccessKind,
    ) {
        let event = races.order().event(thread.0);
        let Some(object) = state.memory.near(range.address) else { return };
        let (base, site, allocation) = (object.base, object.site, object.allocation());
        // A library's own lock orders what is done inside it.
        kind.atomic |= self.is_guarded(state, thread, site);
        let pairs = self.notes.quiet.as_ref().and_then(|quiet| quiet.ordered.as_ref());
        let span = pairs.map_or(SpanId::UNKNOWN, |pairs| {
            // The frame that is running is not on the thread's stack.
            let own = Some(span).filter(|span| pairs.is_own(*span));
            let written = own.and_then(|span| self.machine.program.outside_library_sources(span));
            written.unwrap_or_else(|| self.position(state, thread))
        });
        let Some(quiet) = &mut self.notes.quiet else { return };
        quiet.count(thread, range.address, kind.writes, base, site);
        if quiet.access(races.order(), (event, span), kind, range) && !quiet.racy.contains_key(&site) {
            let name = self.allocation_name(allocation).quoted();
            self.races_quietly(state, thread, site, name);
        }
    }

    /// Notes the end of memory without a report.
    pub(crate) fn end_quietly(
        &mut self,
        state: &State<E>,
        races: &mut RaceDetector<Arc<ThreadPosition>>,
        thread: ThreadId,
        range: ByteRange,
    ) {
        let Some(quiet) = &mut self.notes.quiet else { return };
        if quiet.shadow.end(races.order(), thread.0, range)
            && let Some(object) = state.memory.near(range.address)
        {
            let (site, name) = (object.site, self.describe_object(object));
            self.races_quietly(state, thread, site, name);
        }
    }

    /// Objects of an allocation site race where `thread` stands.
    fn races_quietly(&mut self, state: &State<E>, thread: ThreadId, site: Site, name: String) {
        let span = self.position(state, thread);
        if let Some(quiet) = &mut self.notes.quiet {
            quiet.racy.entry(site).or_insert((name, span));
        }
    }

    /// Where a thread stands and what it holds.
    pub(crate) fn thread_position(&self, state: &State<E>, thread: ThreadId) -> ThreadPosition {
        ThreadPosition {
            thread,
            span: self.position(state, thread),
            frames: self.frames(state, thread),
            held: self.machine.environment.held(state, thread),
            step: self.notes.sightings.as_ref().map_or(0, |sightings| sightings.step),
        }
    }

    /// Notes the races of an access that `thread` is performing with earlier ones.
    pub(crate) fn note_races(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        here: impl Into<Later>,
        earlier: &[(AccessKind, Arc<ThreadPosition>)],
    ) {
        let own = here.into();
        for (kind, there) in earlier {
            if self.is_within_library(state, thread, range, there) {
                continue;
            }
            if self.notes.sightings.is_some() {
                self.see_race(state, Encounter { thread, range, own, other: *kind, there });
                continue;
            }
            let failure = self.race(state, Encounter { thread, range, own, other: *kind, there });
            if !self.notes.races.iter().any(|known| known.same_fault(&failure)) {
                self.notes.races.push(failure);
            }
        }
    }

    /// A thread's title, by the functions that it was in. It may have left them, or have ended, since.
    fn title_at(&self, state: &State<E>, position: &ThreadPosition) -> String {
        let program = &self.machine.program;
        let began = position.frames.iter().rev().find_map(|frame| match frame {
            FramePosition::Program(id, span) if program.function(*id).in_program => {
                program.written_outermost(*span)
            }
            _ => None,
        });
        self.titled(state, position.thread, began)
    }

    /// Notes a race with all that tells it from others.
    fn see_race(&mut self, state: &State<E>, Encounter { thread, range, own, other, there }: Encounter<'_>) {
        let here = self.here(state, thread);
        let object = state.memory.near(range.address).map_or(range.address, |object| object.base);
        let key = (object, there.span, other.writes, here.span, own.writes());
        let known =
            self.notes.sightings.as_ref().is_some_and(|sightings| sightings.numbers.contains_key(&key));
        let race = (!known).then(|| {
            let side = |position: &ThreadPosition, does: Later| RaceAccess {
                thread: state.thread(position.thread).name.clone(),
                title: self.title_at(state, position),
                writes: does.writes(),
                atomic: matches!(does, Later::Accesses(kind) if kind.atomic),
                ends: matches!(does, Later::EndsLife),
                location: location(&self.machine.program, position.span),
                stack: self.rendered(&position.frames),
                locks: position.held.iter().map(|lock| self.name_of_lock(state, lock)).collect(),
            };
            let part = self.part(state, range.address, range.length);
            let object = state.memory.near(range.address).map(|object| self.object_name(object));
            let object = object.unwrap_or_else(|| part.clone());
            let accesses = [side(there, other.into()), side(&here, own)];
            Race { object, part, size: range.length, accesses }
        });
        let site = state.memory.near(range.address).map(|object| object.site);
        let Some(sightings) = &mut self.notes.sightings else { return };
        sightings.sites.extend(site);
        let number = match race {
            None => sightings.numbers[&key],
            Some(race) => {
                sightings.seen.push(SeenRace { race, spans: [there.span, here.span], at: Vec::new() });
                sightings.numbers.insert(key, sightings.seen.len() - 1);
                sightings.seen.len() - 1
            }
        };
        let instance =
            Instance { steps: [there.step, here.step], threads: [there.thread, here.thread], range };
        let at = &mut sightings.seen[number].at;
        if at.last().is_none_or(|last| last.steps != instance.steps) {
            at.push(instance);
        }
    }

    /// Where a thread that is taking a step stood before it.
    pub(crate) fn here(&self, state: &State<E>, thread: ThreadId) -> Arc<ThreadPosition> {
        match &self.present.here {
            Some(here) if here.thread == thread => Arc::clone(here),
            _ => Arc::new(self.thread_position(state, thread)),
        }
    }

    /// A race as the failure that it is.
    fn race(
        &self,
        state: &State<E>,
        Encounter { thread, range, own, other: kind, there }: Encounter<'_>,
    ) -> Failure {
        let here = self.here(state, thread);
        let what = |writes| if writes { "write" } else { "read" };
        let atomic = if kind.atomic { "atomic " } else { "" };
        let name = |id: ThreadId| self.title(state, id);
        let locks = |held: &[TakenLock]| {
            let names: Vec<String> = held.iter().map(|lock| self.name_of_lock(state, lock)).collect();
            if names.is_empty() { "no lock".into() } else { names.join(", ") }
        };
        let earlier = format!(
            "a{} {atomic}{} of {}",
            if kind.atomic { "n" } else { "" },
            what(kind.writes),
            name(there.thread)
        );
        let object = self.part(state, range.address, range.length).quoted();
        let (detail, message) = match own {
            Later::Accesses(own) => (
                FailureDetail::Plain,
                format!("data race on {object}: this {} and {earlier} are not ordered", what(own.writes)),
            ),
            Later::EndsLife => (
                FailureDetail::EndOfLife,
                format!("the life of {object} ends here, and {earlier} is not ordered before that"),
            ),
        };
        let mut fault = Fault::new(FailureKind::Race, detail, message);
        let other = format!(
            "the {atomic}{}; {} holds {} there, and {} holds {} here",
            what(kind.writes),
            name(there.thread),
            locks(&there.held),
            name(thread),
            locks(&here.held)
        );
        fault.notes.push((other, there.span, Some(there.thread)));
        let mut failure = self.render_fault(state, thread, fault);
        // The frame that is running is not on the thread's stack.
        failure.location = location(&self.machine.program, here.span);
        failure.stack = self.rendered(&here.frames);
        if let Some(note) = failure.notes.first_mut() {
            note.stack = self.rendered(&there.frames);
        }
        // Where it stood then says more than where it stands now.
        let other = &state.thread(there.thread).name;
        failure.others.retain(|stack| stack.thread != *other);
        failure
    }

    /// For people: a lock, and whether it is held as a reader.
    pub fn name_of_lock(&self, state: &State<E>, lock: &TakenLock) -> String {
        format!("{}{}", self.part(state, lock.address, 0).quoted(), lock_mode(lock.is_shared))
    }

    /// For people: a part of an object, as steps of explanations have it.
    fn part(&self, state: &State<E>, address: u64, length: u64) -> SourceName {
        Names::default().name(self, state, address, length)
    }
}
