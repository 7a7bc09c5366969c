//! Suggested fixes that are about accesses alone: two that race, and one that reads an old value although the
//! new one is in memory.

use std::collections::HashMap;
use symx_trace::explanation::{AtomicOrdering, ExecutedStep, Execution, Part, Remedy, Trial};
use symx_trace::{EventKind, Location, ThreadName};

/// Suggested fixes that would rule a race out: its accesses made atomic, or made with one lock held. None if
/// they are no steps.
pub fn of_race(failing: &Execution) -> Vec<Remedy> {
    let Some(failure) = &failing.failure else { return Vec::new() };
    let other = failure.notes.first().and_then(|note| Some((note.thread.as_ref()?, &note.location)));
    let Some((thread, location)) = other else { return Vec::new() };
    let access = |thread: &ThreadName, location: &Location| {
        let is_it = |step: &ExecutedStep| {
            failing.threads[step.thread as usize].name == *thread
                && (step.location.line, &step.location.file) == (location.line, &location.file)
                && step.kind.is_access()
        };
        failing.steps.iter().rposition(is_it).map(|number| number as u32)
    };
    let (Some(first), Some(second)) = (access(thread, location), access(&failure.thread, &failure.location))
    else {
        return Vec::new();
    };
    vec![atomic(first, second), Remedy::Lock { first, second, trial: Trial::Untried }]
}

/// Two accesses made atomic. A weaker order than that which always helps is left to trials.
fn atomic(first: u32, second: u32) -> Remedy {
    Remedy::Atomic { first, second, ordering: AtomicOrdering::default(), trial: Trial::Untried }
}

/// Suggested fixes for reads of old values, by which they return the value in memory. Under models that allow
/// old reads they do not. If the reader has read a later write of the same writer, that write and that read
/// are to be atomic. Else the unseen write and the old read are, and a write of the reader that the writer
/// does not see. The last old read first.
pub fn of_old_reads(failing: &Execution) -> Vec<Remedy> {
    let mut suggested: Vec<Remedy> = Vec::new();
    for (write, read) in old_reads(failing).into_iter().rev() {
        let step = |number: u32| &failing.steps[number as usize];
        let (writer, reader) = (step(write).thread, step(read).thread);
        // The reader got something else that the writer wrote later.
        let learned = (0..read).rev().find_map(|number| {
            let from = step(number).reads_from?;
            (step(number).thread == reader && step(from).thread == writer && from > write)
                .then_some((from, number))
        });
        if let Some((from, by)) = learned {
            suggested.push(atomic(from, by));
            continue;
        }
        suggested.push(atomic(write, read));
        // As in store buffering: the reader has written what the writer does not see.
        let mut written = (0..read)
            .rev()
            .filter(|number| step(*number).thread == reader && step(*number).kind == EventKind::Write);
        let both = written.find_map(|number| {
            let mut steps = write + 1..failing.steps.len() as u32;
            let unseen = steps.find(|other| {
                step(*other).thread == writer
                    && step(*other).kind == EventKind::Read
                    && step(*other).is_at_same_part(step(number))
            })?;
            Some((number, unseen))
        });
        suggested.extend(both.map(|(store, unseen)| atomic(store, unseen)));
    }
    let is_first = |number: &usize| !suggested[..*number].contains(&suggested[*number]);
    (0..suggested.len()).filter(is_first).map(|number| suggested[number].clone()).collect()
}

/// Reads that get a value older than another thread's write that was the newest in memory; each with that
/// write, in order.
fn old_reads(failing: &Execution) -> Vec<(u32, u32)> {
    let steps = &failing.steps;
    // By step, the write that reaches memory with it.
    let mut lands: Vec<Option<u32>> = vec![None; steps.len()];
    for (number, step) in (0..).zip(steps) {
        match (&step.kind, step.issued_by) {
            (_, Some(store)) => lands[number as usize] = Some(store),
            (EventKind::Write | EventKind::ReadModifyWrite, None) => lands[number as usize] = Some(number),
            _ => {}
        }
    }
    for store in steps.iter().filter_map(|step| step.issued_by) {
        lands[store as usize] = None;
    }
    let mut newest: HashMap<Part<'_>, u32> = HashMap::new();
    let mut old = Vec::new();
    for (number, load) in (0..).zip(steps) {
        // Its own store may be newer, and wait in the buffer.
        let is_own = |from: u32| steps[from as usize].thread == load.thread;
        if load.kind == EventKind::Read
            && load.is_taken()
            && !load.object.is_empty()
            && let Some(write) = newest.get(&load.part()).copied()
            && load.reads_from.is_none_or(|from| from < write && !is_own(from))
            && !is_own(write)
        {
            old.push((write, number));
        }
        if let Some(store) = lands[number as usize] {
            newest.insert(steps[store as usize].part(), store);
        }
    }
    old
}

#[cfg(test)]
mod tests {
    use super::super::tests::execution;
    use super::*;
    use symx_trace::explanation::PlaceInMemory;

    fn atomics(failing: &Execution) -> Vec<(u32, u32)> {
        of_old_reads(failing).iter().map(Remedy::steps).collect()
    }

    #[test]
    fn a_read_of_one_part_is_not_older_than_a_write_of_another_of_its_name() {
        let mut failing =
            execution(&[(0, 'w', "lambda", None), (0, 'w', "lambda", None), (1, 'r', "lambda", Some(0))]);
        for (step, offset) in failing.steps.iter_mut().zip([0, 8, 0]) {
            step.place = Some(PlaceInMemory { object: 64, offset });
        }
        assert_eq!(atomics(&failing), []);
    }

    #[test]
    fn a_flag_that_announces_an_unseen_write_is_to_be_atomic() {
        let failing = execution(&[
            (0, 'w', "data", None),
            (0, 'w', "flag", None),
            (1, 'r', "flag", Some(1)),
            (1, 'r', "data", None),
        ]);
        assert_eq!(atomics(&failing), [(1, 2)]);
    }

    #[test]
    fn stores_that_neither_sees_are_to_be_atomic_with_the_reads() {
        let failing =
            execution(&[(0, 'w', "x", None), (1, 'w', "y", None), (0, 'r', "y", None), (1, 'r', "x", None)]);
        assert_eq!(atomics(&failing), [(0, 3), (1, 2)]);
    }

    #[test]
    fn reads_of_what_is_newest_or_own_are_not_old() {
        let failing = execution(&[
            (1, 'r', "x", None),
            (0, 'w', "x", None),
            (1, 'r', "x", Some(1)),
            (1, 'w', "y", None),
            (0, 'w', "y", None),
            (1, 'r', "y", Some(3)),
        ]);
        assert_eq!(atomics(&failing), []);
    }
}
