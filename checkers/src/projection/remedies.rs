//! Suggested fixes that would rule a failure out, read off where the failing execution and the passing
//! execution differ (Symbiosis section 3.5).
//!
//! Two steps that conflict and are reversed in the passing execution were in a bad order. If the thread of
//! one of them was at the same object before (or comes back to it after), the other one came in between. The
//! steps between are then to be one atomic block. If not, one has to wait for the other. If the late one is a
//! store that waited in a buffer while its thread went on, a fence is missing.

use super::accesses::of_old_reads;
use super::lives::failing_step;
use super::{Matching, conflict, ends_life};
use crate::projection::limits::MOST_SUGGESTED;
use symx_trace::explanation::{Difference, ExecutedStep, Execution, Flow, HeldLock, Progress, Remedy, Trial};
use symx_trace::{CallEffect, EventKind, FailureKind};

/// The fixes, the likeliest first, each once.
pub fn remedies(failing: &Execution, passing: &Execution, difference: &Difference) -> Vec<Remedy> {
    let matching = Matching::new(failing, passing);
    let projection = Projection { failing, passing, matching: &matching };
    let mut remedies: Vec<Remedy> = Vec::new();
    let mut add = |remedy: Remedy| add_to(&mut remedies, remedy);
    of_old_reads(failing).into_iter().for_each(&mut add);
    for flow in &difference.passing_flows {
        projection.fence(flow).into_iter().for_each(&mut add);
    }
    let reversed = projection.reversed(&difference.failing_steps);
    let end_of_life = projection.end_of_life(&reversed);
    end_of_life.iter().cloned().for_each(&mut add);
    for &(early, late) in &reversed {
        projection.misuse(early, late).into_iter().for_each(&mut add);
    }
    for &(early, late) in &reversed {
        projection.atomic_block(early, late).into_iter().for_each(&mut add);
    }
    if projection.is_deadlock() {
        // One order of locks for one thread is not enough where each has its own.
        let waiting = (0..failing.steps.len() as u32).filter(|step| projection.waits_for_holder(*step));
        for remedy in waiting.filter_map(|step| projection.taken_as_one(step)) {
            projection.is_elsewhere(&remedy, &remedies).then(|| remedies.push(remedy));
        }
        remedies.truncate(MOST_SUGGESTED);
    }
    let mut add = |remedy: Remedy| add_to(&mut remedies, remedy);
    for flow in &difference.passing_flows {
        projection.unreached(flow).into_iter().for_each(&mut add);
    }
    if end_of_life.is_none() {
        projection.last_use(&reversed).into_iter().for_each(&mut add);
    }
    if remedies.is_empty() {
        remedies.extend(difference.failing_flows.iter().filter_map(|flow| projection.interrupted(flow)));
        remedies.dedup();
        remedies.truncate(MOST_SUGGESTED);
    }
    if remedies.is_empty() {
        let order = |&(early, late): &(u32, u32)| Remedy::Order {
            before: projection.issue(late),
            after: projection.issue(early),
            trial: Trial::Untried,
        };
        remedies.extend(difference.failing_flows.iter().find_map(|flow| projection.unfinished(flow)));
        // Where no flow differs, one handover is the reason for the others.
        let most = if difference.passing_flows.is_empty() { 1 } else { MOST_SUGGESTED };
        for remedy in reversed.iter().map(order).take(most) {
            if !remedies.contains(&remedy) {
                remedies.push(remedy);
            }
        }
    }
    for remedy in &mut remedies {
        if let Remedy::Order { before, after, .. } = remedy {
            *after = projection.outside_locks(*before, *after);
        }
    }
    // Outside of a lock, several fixes may become one.
    let mut known: Vec<Remedy> = Vec::new();
    remedies.retain(|remedy| {
        let is_new = !known.contains(remedy);
        known.extend(is_new.then(|| remedy.clone()));
        is_new
    });
    remedies
}

/// Adds a fix that says something new.
fn add_to(remedies: &mut Vec<Remedy>, remedy: Remedy) {
    // One step is never interrupted; a store that comes late is for a fence.
    let is_no_block = matches!(remedy, Remedy::AtomicBlock { first, last, .. } if first >= last);
    if !is_no_block && !remedies.contains(&remedy) && remedies.len() < MOST_SUGGESTED {
        remedies.push(remedy);
    }
}

pub(super) struct Projection<'a> {
    pub(super) failing: &'a Execution,
    pub(super) passing: &'a Execution,
    pub(super) matching: &'a Matching,
}

impl Projection<'_> {
    fn step(&self, number: u32) -> &ExecutedStep {
        &self.failing.steps[number as usize]
    }

    /// The step that issued a store, or the step itself.
    fn issue(&self, number: u32) -> u32 {
        self.step(number).issued_by.unwrap_or(number)
    }

    fn effect(&self, number: u32) -> u32 {
        self.failing.effect(number)
    }

    /// Where a thread that is to wait at a step can do so: before it acquires a lock that the awaited step
    /// needs.
    fn outside_locks(&self, awaited: u32, waiting: u32) -> u32 {
        let needed = |lock: &&HeldLock| self.last_call_at(lock, awaited).is_some();
        let lock = self.step(waiting).locks.iter().find(needed);
        lock.and_then(|lock| self.last_call_at(lock, waiting)).unwrap_or(waiting)
    }

    /// The last call of a step's thread at a lock before the step.
    fn last_call_at(&self, lock: &HeldLock, before: u32) -> Option<u32> {
        let is_own = |number: u32| self.step(number).thread == self.step(before).thread;
        (0..before).rfind(|number| is_own(*number) && self.step(*number).is_call_at(lock))
    }

    /// Conflicting pairs of these steps, by their effects, that are reversed in the passing execution: the
    /// earlier first, near ones first.
    pub(super) fn reversed(&self, steps: &[u32]) -> Vec<(u32, u32)> {
        let mut effects: Vec<u32> = steps.iter().map(|step| self.effect(*step)).collect();
        effects.sort_unstable();
        effects.dedup();
        let mut pairs = Vec::new();
        for (index, early) in effects.iter().enumerate() {
            for late in &effects[index + 1..] {
                let places =
                    (self.matching.to_passing[*early as usize], self.matching.to_passing[*late as usize]);
                if conflict(self.step(*early), self.step(*late))
                    && let (Some(early_place), Some(late_place)) = places
                    && early_place > late_place
                {
                    pairs.push((*early, *late));
                }
            }
        }
        pairs.sort_by_key(|(early, late)| (late - early, *early));
        pairs
    }

    /// The thread that ends an object's life is to wait until the thread that met it ended has finished with
    /// it.
    fn end_of_life(&self, reversed: &[(u32, u32)]) -> Option<Remedy> {
        let late = failing_step(self.failing)?;
        let is_last_use = |step: &&ExecutedStep| {
            step.thread == self.step(late).thread
                && step.is_at_same_part(self.step(late))
                && step.progress == Progress::NotReached
        };
        self.failing.steps.last().filter(is_last_use)?;
        let ends = reversed.iter().filter(|(_, other)| *other == late).map(|(early, _)| *early);
        let before = self.failing.steps.len() as u32 - 1;
        Some(Remedy::Order { before, after: ends.min()?, trial: Trial::Untried })
    }

    /// The same where the step that met the object ended is all that was still wanted of it.
    fn last_use(&self, reversed: &[(u32, u32)]) -> Option<Remedy> {
        let late = failing_step(self.failing)?;
        let ends = |(early, other): &&(u32, u32)| *other == late && ends_life(self.step(*early));
        let (after, _) = reversed.iter().find(ends)?;
        Some(Remedy::Order { before: late, after: *after, trial: Trial::Untried })
    }

    /// A misplaced use of a synchronisation object is to wait for the step that comes too late, or to come
    /// before it.
    fn misuse(&self, early: u32, late: u32) -> Option<Remedy> {
        let failure = self.failing.failure.as_ref()?;
        let fails = failing_step(self.failing)?;
        let is_misuse = failure.kind == FailureKind::SyncMisuse && (early == fails || late == fails);
        is_misuse.then_some(Remedy::Order { before: late, after: early, trial: Trial::Untried })
    }

    /// The read got an older value though the store had been issued, which its thread's next steps overtook.
    fn fence(&self, flow: &Flow) -> Option<Remedy> {
        let read = self.matching.to_failing[flow.to as usize]?;
        let store = self.matching.to_failing[flow.from? as usize]?;
        let thread = self.step(store).thread;
        let commit = self.effect(store);
        // Under a model without store buffers no store has a commit, and none is late.
        let has_commits = || self.failing.steps.iter().any(|step| step.kind == EventKind::Commit);
        let is_late = commit > read || commit == store && has_commits();
        let is_store = self.step(store).kind == EventKind::Write && self.step(store).is_taken();
        if !is_store || store > read || thread == self.step(read).thread || !is_late {
            return None;
        }
        // The step that overtook it: a read from memory, or the commit of a later store.
        let mut between = (store + 1..read.max(commit)).filter(|number| self.step(*number).thread == thread);
        let overtaker = between.find(|number| {
            let step = self.step(*number);
            let commits = step.issued_by.is_some_and(|issue| issue > store);
            !step.is_at_same_part(self.step(store)) && (step.kind == EventKind::Read || commits)
        })?;
        Some(Remedy::Fence { after: store, before: self.issue(overtaker), trial: Trial::Untried })
    }

    /// The passing execution reads a write that its thread did not reach in the failing execution. The thread
    /// is to reach it, either together with its writes that the reader has read already, or before the read.
    fn unreached(&self, flow: &Flow) -> Option<Remedy> {
        let read = self.matching.to_failing[flow.to as usize]?;
        let write = flow.from?;
        if self.matching.to_failing[write as usize].is_some_and(|write| self.step(write).is_taken()) {
            return None;
        }
        let name = &self.passing.threads[self.passing.steps[write as usize].thread as usize].name;
        let thread = self.failing.threads.iter().position(|lane| lane.name == *name)? as u32;
        let reader = self.step(read).thread;
        let mut steps = (0..self.failing.steps.len() as u32).rev();
        let last = steps.find(|number| self.step(*number).thread == thread && *number != read)?;
        let sources = (0..read).filter(|number| self.step(*number).thread == reader);
        let mut sources = sources.filter_map(|number| self.step(number).reads_from);
        let seen = sources.rfind(|source| self.step(*source).thread == thread && *source < last);
        match seen {
            Some(first) => Some(Remedy::AtomicBlock { first, last, trial: Trial::Untried }),
            // The thread has ended by then: it went another way, and no wait for it would change that.
            None if last < read && self.step(last).is_taken() => None,
            None => Some(Remedy::Order { before: last, after: read, trial: Trial::Untried }),
        }
    }

    /// The step at which the late step's thread began the block that the early one interrupted. It is its
    /// last access before to the same object, or to another one that the other thread has changed since.
    fn block_begin(&self, early: u32, late: u32) -> Option<u32> {
        let (own, other) = (self.step(late).thread, self.step(early).thread);
        let begins = |first: &u32| {
            let step = self.step(*first);
            let is_changed = |number: u32| {
                let change = self.step(number);
                change.thread == other
                    && change.is_at_same_part(step)
                    && matches!(
                        change.kind,
                        EventKind::Write | EventKind::ReadModifyWrite | EventKind::Commit
                    )
            };
            step.thread == own
                && step.kind != EventKind::Commit
                && (step.is_at_same_part(self.step(early))
                    || step.kind.is_access() && (*first + 1..=early).any(is_changed))
        };
        (0..early).rfind(begins)
    }

    fn is_deadlock(&self) -> bool {
        self.failing.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Deadlock)
    }

    fn waits_with_locks(&self, number: u32) -> bool {
        self.step(number).progress == Progress::Waits && !self.step(number).locks.is_empty()
    }

    /// Whether a thread waits forever for what another one holds.
    fn waits_for_holder(&self, number: u32) -> bool {
        let waiting = self.step(number);
        let holds = |other: &ExecutedStep| other.thread != waiting.thread && other.holds(waiting.part());
        waiting.progress == Progress::Waits && self.failing.steps.iter().any(holds)
    }

    /// A thread that waits forever and holds locks is to take them all at once.
    fn taken_as_one(&self, waiting: u32) -> Option<Remedy> {
        let lock = self.waits_with_locks(waiting).then(|| &self.step(waiting).locks[0])?;
        let first = self.last_call_at(lock, waiting)?;
        Some(Remedy::AtomicBlock { first, last: waiting, trial: Trial::Untried })
    }

    /// Whether a fix is about other places of the source than all of these.
    fn is_elsewhere(&self, remedy: &Remedy, known: &[Remedy]) -> bool {
        let places = |remedy: &Remedy| {
            let (one, other) = remedy.steps();
            (&self.step(one).location, &self.step(other).location)
        };
        known.iter().all(|known| places(known) != places(remedy))
    }

    /// The write that was read is half of what its writer was about to do.
    fn unfinished(&self, flow: &Flow) -> Option<Remedy> {
        let first = flow.from?;
        let writer = self.step(first).thread;
        let is_next = |step: &ExecutedStep| step.thread == writer && step.progress == Progress::NotReached;
        let last = self.failing.steps.iter().position(is_next)?;
        let goes_on = writer != self.step(flow.to).thread && !is_end(self.step(last as u32));
        goes_on.then_some(Remedy::AtomicBlock { first, last: last as u32, trial: Trial::Untried })
    }

    /// The write that was read came between two steps of the reader at the same object.
    fn interrupted(&self, flow: &Flow) -> Option<Remedy> {
        let (write, read) = (flow.from?, flow.to);
        let thread = self.step(read).thread;
        let is_own = |number: &u32| {
            let step = self.step(*number);
            step.thread == thread && step.is_at_same_part(self.step(read)) && step.kind != EventKind::Commit
        };
        let first = (0..write).rfind(is_own).filter(|_| self.step(write).thread != thread)?;
        Some(Remedy::AtomicBlock { first, last: read, trial: Trial::Untried })
    }

    /// One of the two came between two steps of the other's thread at the same object.
    fn atomic_block(&self, early: u32, late: u32) -> Option<Remedy> {
        let at_object = |thread: u32, range: std::ops::Range<u32>| {
            let is_one = move |number: &u32| {
                let step = self.step(*number);
                step.thread == thread
                    && step.is_at_same_part(self.step(early))
                    && step.kind != EventKind::Commit
            };
            range.filter(is_one).collect::<Vec<u32>>()
        };
        let count = self.failing.steps.len() as u32;
        if self.waits_with_locks(late) {
            return self.taken_as_one(late);
        }
        if let Some(first) = self.block_begin(early, late) {
            return Some(Remedy::AtomicBlock { first, last: self.issue(late), trial: Trial::Untried });
        }
        let after = at_object(self.step(early).thread, late..count);
        let last = after.first()?;
        Some(Remedy::AtomicBlock { first: self.issue(early), last: *last, trial: Trial::Untried })
    }
}

/// Whether a step waits for threads, or is a thread's last: then it does not belong together with steps
/// before it.
fn is_end(step: &ExecutedStep) -> bool {
    matches!(step.kind.effect(), Some(CallEffect::ThreadEnd | CallEffect::JoinThread))
}

#[cfg(test)]
mod tests {
    use super::super::difference;
    use super::super::tests::{execution, lost_update};
    use super::*;

    fn suggested(failing: &Execution, passing: &Execution) -> Vec<Remedy> {
        remedies(failing, passing, &difference(failing, passing))
    }

    #[test]
    fn a_read_and_a_write_that_another_read_came_between_are_to_be_atomic() {
        let [failing, passing] = lost_update();
        let remedies = suggested(&failing, &passing);
        assert_eq!(remedies, [Remedy::AtomicBlock { first: 0, last: 2, trial: Trial::Untried }]);
    }

    #[test]
    fn a_test_and_the_use_it_is_for_are_to_be_atomic() {
        let failing = execution(&[
            (0, 'r', "there", None),
            (1, 'w', "there", None),
            (1, 'w', "object", None),
            (0, 'r', "object", Some(2)),
        ]);
        let passing = execution(&[
            (0, 'r', "there", None),
            (0, 'r', "object", None),
            (1, 'w', "there", None),
            (1, 'w', "object", None),
        ]);
        let remedies = suggested(&failing, &passing);
        assert_eq!(remedies, [Remedy::AtomicBlock { first: 0, last: 3, trial: Trial::Untried }]);
    }

    #[test]
    fn what_is_yet_to_be_written_is_to_come_before_the_read() {
        let mut failing = execution(&[(1, 'r', "mutex", None), (0, 'w', "mutex", None)]);
        failing.steps[1].progress = Progress::NotReached;
        let passing = execution(&[(0, 'w', "mutex", None), (1, 'r', "mutex", Some(0))]);
        let remedies = suggested(&failing, &passing);
        assert_eq!(remedies, [Remedy::Order { before: 1, after: 0, trial: Trial::Untried }]);
    }

    #[test]
    fn a_use_before_the_initialisation_is_to_wait() {
        let failing = execution(&[(1, 'r', "mutex", None), (0, 'w', "mutex", None)]);
        let passing = execution(&[(0, 'w', "mutex", None), (1, 'r', "mutex", Some(0))]);
        let remedies = suggested(&failing, &passing);
        assert_eq!(remedies, [Remedy::Order { before: 1, after: 0, trial: Trial::Untried }]);
    }

    #[test]
    fn a_store_that_is_late_wants_a_fence() {
        let commit = |mut execution: Execution, at: usize, store: u32| {
            execution.steps[at].kind = EventKind::Commit;
            execution.steps[at].issued_by = Some(store);
            execution
        };
        let failing =
            execution(&[(0, 'w', "x", None), (0, 'r', "y", None), (1, 'r', "x", None), (0, 'w', "x", None)]);
        let failing = commit(failing, 3, 0);
        let passing = execution(&[
            (0, 'w', "x", None),
            (0, 'w', "x", None),
            (0, 'r', "y", None),
            (1, 'r', "x", Some(0)),
        ]);
        let mut passing = commit(passing, 1, 0);
        passing.steps[2].location = failing.steps[1].location.clone();
        let remedies = suggested(&failing, &passing);
        assert_eq!(remedies[0], Remedy::Fence { after: 0, before: 1, trial: Trial::Untried });
    }
}
