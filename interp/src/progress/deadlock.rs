//! States in which no thread can move: which thread waits for which, and why no thread ends the wait.

use crate::environment::{Environment, WaitReason};
use crate::machine::Executor;
use crate::state::{End, Exit, State};
use crate::stop::Fault;
use smallvec::SmallVec;
use symx_trace::{Agent, FailureDetail, FailureKind, Mode, Place, ThreadId, Wait, WaitKind};

impl<E: Environment> Executor<'_, E> {
    /// When no thread can move: ends the execution, normally if every thread has ended, else as a deadlock.
    /// It is a livelock if some thread moves without progress.
    pub fn stuck(&mut self, state: &mut State<E>) {
        if self.find_livelock(state, &[]) {
            return;
        }
        let waiting = state.threads.iter().filter(|thread| thread.is_unfinished());
        let mut blocked: Vec<ThreadId> = waiting.map(|thread| thread.id).collect();
        // By name: numbers may depend on the order of creations.
        blocked.sort_by_key(|thread| &state.thread(*thread).name);
        let Some(&first) = blocked.first() else {
            state.end = Some(End::Exit(Exit { status: 0, by: None }));
            return;
        };
        // A thread that waits for another one to end is a consequence; name one that
        // waits for something else.
        let mut candidates = blocked.iter().copied().filter(|thread| !self.waits_for_thread(state, *thread));
        let mut cycle = blocked.iter().find_map(|thread| self.cycle_through(state, *thread));
        if let Some(cycle) = &mut cycle {
            let begin = cycle.iter().position(|thread| !self.waits_for_thread(state, *thread));
            cycle.rotate_left(begin.unwrap_or(0));
        }
        let culprit = match &cycle {
            Some(cycle) => cycle[0],
            None => candidates.next().unwrap_or(first),
        };
        let title = |thread: ThreadId| self.title(state, thread);
        let mut message =
            format!("deadlock: {} waits for {}", title(culprit), self.describe_wait(state, culprit));
        for thread in cycle.iter().flat_map(|cycle| &cycle[1..]) {
            message += &format!(", which waits for {}", self.describe_wait(state, *thread));
        }
        let detail =
            if self.is_a_thread_held_back(state) { FailureDetail::Assumed } else { FailureDetail::Plain };
        let mut fault = Fault::new(FailureKind::Deadlock, detail, message);
        let WaitReason { kind, holders, .. } = self.reason(state, culprit);
        fault.wait = Some(Wait { kind, is_own: holders.contains(&culprit) });
        for &thread in &blocked {
            if thread != culprit {
                let what = format!("{} waits for {}", title(thread), self.describe_wait(state, thread));
                fault.notes.push((what, self.position(state, thread), Some(thread)));
            }
        }
        for &thread in &blocked {
            for note in self.reason(state, thread).notes {
                if !fault.notes.contains(&note) {
                    fault.notes.push(note);
                }
            }
        }
        self.fail(state, culprit, fault);
    }

    fn wait_of<'s>(&self, state: &'s State<E>, thread: ThreadId) -> Option<&'s E::Wait> {
        state.thread(thread).pending.as_deref()?.action.wait()
    }

    pub(crate) fn describe_wait(&self, state: &State<E>, thread: ThreadId) -> String {
        let environment = &self.machine.environment;
        if let Some(line) = self.waits_for_line(state, thread) {
            return format!("another thread to pass {line} (hypothetical ordering)");
        }
        if let Some(other) = self.waits_for_end(state, thread) {
            let other = self.title(state, other);
            return format!("{other}, which it created, to terminate (hypothetical join)");
        }
        if let Some(inside) = self.waits_for_block(state, thread) {
            let inside = self.title(state, inside);
            return format!("{inside} to leave a critical section (hypothetical)");
        }
        match self.wait_of(state, thread) {
            Some(wait) => {
                let seen = self.seen_by(state, thread);
                environment.describe_wait(&seen, thread, wait, &self.titles(&seen))
            }
            None => "a step that never becomes possible".into(),
        }
    }

    fn reason(&self, state: &State<E>, thread: ThreadId) -> WaitReason {
        let environment = &self.machine.environment;
        match self.wait_of(state, thread) {
            Some(wait) => {
                let seen = self.seen_by(state, thread);
                environment.wait_reason(&seen, thread, wait, &self.titles(&seen))
            }
            None => WaitReason::default(),
        }
    }

    /// The event that would end a thread's wait, if it has one.
    pub fn waits_at(&self, state: &State<E>, thread: ThreadId) -> Option<WaitKind> {
        (!self.can_step(state, state.thread(thread))).then(|| self.reason(state, thread).kind)
    }

    /// The threads for which a thread waits: those that hold the lock it waits for, or are to end.
    pub fn waits_for(&self, state: &State<E>, thread: ThreadId) -> SmallVec<[ThreadId; 2]> {
        self.reason(state, thread).holders
    }

    /// Threads each of which waits for the next, the last one for the first.
    fn cycle_through(&self, state: &State<E>, start: ThreadId) -> Option<Vec<ThreadId>> {
        let mut path = vec![start];
        let mut seen = vec![start];
        let mut left = vec![self.reason(state, start).holders];
        while let Some(holders) = left.last_mut() {
            match holders.pop() {
                Some(holder) if holder == start => return Some(path),
                Some(holder) if !seen.contains(&holder) && !state.thread(holder).exited => {
                    seen.push(holder);
                    path.push(holder);
                    left.push(self.reason(state, holder).holders);
                }
                Some(_) => {}
                None => {
                    left.pop();
                    path.pop();
                }
            }
        }
        None
    }

    /// For people: what is at an address, as in "`queue`" or "offset 8 of `queue`".
    pub fn name_of(&self, state: &State<E>, address: u64) -> String {
        let Some(object) = state.memory.near(address) else { return format!("at {address:#x}") };
        let offset = address.wrapping_sub(object.base);
        if let Some(place) = self.place_in(object, offset, 0)
            && let Some(variable) = self.variable(object, &place)
        {
            let which = self.distinction(object.site, object.origin.span);
            return match self.function_of_variable(object) {
                Some(function) => format!("{} of `{function}`{which}", variable.quoted()),
                None => format!("{}{which}", variable.quoted()),
            };
        }
        let length = self.first_element(object).filter(|_| offset == 0).unwrap_or_default();
        if let Some(pointed_to) = self.pointed_to(object, offset, length) {
            let object = self.described(object.allocation(), "").quoted();
            return format!("{} of {object}", pointed_to.quoted());
        }
        let place = self.place_in_element(object, offset, 0);
        if let Some(field) = place.as_deref().and_then(|place| place.strip_prefix('.')) {
            return format!("`{field}` of {}", self.describe_object(object));
        }
        match offset {
            0 => self.describe_object(object),
            offset => format!("at offset {offset} of {}", self.describe_object(object)),
        }
    }

    fn waits_for_thread(&self, state: &State<E>, thread: ThreadId) -> bool {
        self.footprint(state, Agent::Thread(thread))
            .iter()
            .any(|access| matches!(access.place, Place::Thread(_)) && access.mode == Mode::Acquire)
    }
}
