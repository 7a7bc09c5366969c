//! More general fixes, for where none that follows from the difference helps. They are read off the orders
//! that make the execution fail. Where a step that was to be waited for is not always taken, they are also
//! read off what its thread does next. The caller tries whether one helps.

use super::lives::failing_step;
use super::{Matching, at_one_object, ends_life};
use crate::projection::limits::MOST_SUGGESTED;
use symx_trace::explanation::{Cause, Difference, ExecutedStep, Execution, Remedy, Trial};
use symx_trace::{CallEffect, EventKind};

/// Two steps of one thread that the cause orders with steps of one other thread. The first comes before one
/// of these and the second after one: the other thread's steps come between. The shortest first.
pub fn blocks_of_cause(failing: &Execution, cause: &Cause) -> Vec<Remedy> {
    let thread = |step: u32| failing.steps[step as usize].thread;
    let issue = |step: u32| failing.steps[step as usize].issued_by.unwrap_or(step);
    let mut blocks: Vec<(u32, u32)> = Vec::new();
    for (begin, comes) in &cause.orders {
        for (leaves, end) in &cause.orders {
            let block = (issue(*begin), issue(*end));
            let is_between = thread(*begin) == thread(*end) && thread(*comes) == thread(*leaves);
            // Stores may reach memory in another order than they were issued in.
            if is_between && begin < end && block.0 < block.1 && !blocks.contains(&block) {
                blocks.push(block);
            }
        }
    }
    blocks.sort_by_key(|(first, last)| last - first);
    blocks.truncate(MOST_SUGGESTED);
    let block = |(first, last)| Remedy::AtomicBlock { first, last, trial: Trial::Untried };
    blocks.into_iter().map(block).collect()
}

/// The orders among the fixes, each with the awaited thread's next step in the passing execution in place of
/// the awaited one. Other executions may never reach the latter. Where the failing execution does not come as
/// far, the next step is added to it, not reached.
pub fn later_orders(failing: &mut Execution, passing: &Execution, remedies: &[Remedy]) -> Vec<Remedy> {
    let mut orders = Vec::new();
    for remedy in remedies {
        if let Remedy::Order { before, after, .. } = *remedy
            && let Some(before) = next_step(failing, passing, before)
            && orders.len() < MOST_SUGGESTED
        {
            orders.push(Remedy::Order { before, after, trial: Trial::Untried });
        }
    }
    orders
}

/// The next step that a step's thread takes on another line in the passing execution, as one
/// of the failing execution.
fn next_step(failing: &mut Execution, passing: &Execution, step: u32) -> Option<u32> {
    let matching = Matching::new(failing, passing);
    let there = matching.to_passing[step as usize]?;
    let known = &passing.steps[there as usize];
    let is_next = |number: &u32| {
        let other = &passing.steps[*number as usize];
        let is_elsewhere =
            (other.location.line, &other.location.file) != (known.location.line, &known.location.file);
        other.thread == known.thread
            && other.kind != EventKind::Commit
            && other.location.line != 0
            && is_elsewhere
    };
    let next = (there + 1..passing.steps.len() as u32).find(is_next)?;
    if passing.steps[next as usize].kind.effect() == Some(CallEffect::ThreadEnd) {
        return None;
    }
    Some(matching.to_failing[next as usize].unwrap_or_else(|| {
        let thread = failing.steps[step as usize].thread;
        failing.add_not_reached(thread, &passing.steps[next as usize])
    }))
}

/// Writes that the passing execution reads from threads that did not come as far in the failing execution are
/// to come before. These steps are added to it, not reached.
pub fn orders_of_unreached(
    failing: &mut Execution,
    passing: &Execution,
    difference: &Difference,
) -> Vec<Remedy> {
    let matching = Matching::new(failing, passing);
    let mut orders = Vec::new();
    for flow in difference.passing_flows.iter().take(MOST_SUGGESTED) {
        let (Some(write), Some(after)) = (flow.from, matching.to_failing[flow.to as usize]) else { continue };
        let step = &passing.steps[write as usize];
        let name = &passing.threads[step.thread as usize].name;
        let thread = failing.threads.iter().position(|lane| lane.name == *name);
        // A store that waits in its buffer is for a fence.
        if let Some(thread) = thread.filter(|_| matching.to_failing[write as usize].is_none())
            && step.kind != EventKind::Commit
        {
            let before = failing.add_not_reached(thread as u32, step);
            orders.push(Remedy::Order { before, after, trial: Trial::Untried });
        }
    }
    orders
}

/// Where a thread takes a step before one that it created comes to another, it is to wait for that thread's
/// end. The cause or a suggested order says so, or the failing step reads what the thread wrote or meets an
/// object whose life it ended. The join comes first right before the step, then before all that the thread
/// does there without synchronising. There it may have begun to free what the other one uses.
pub fn joins(failing: &Execution, cause: &Cause, remedies: &[Remedy]) -> Vec<Remedy> {
    let ordered = remedies.iter().filter_map(|remedy| match remedy {
        Remedy::Order { before, after, .. } => Some((*after, *before)),
        _ => None,
    });
    let name = |step: u32| &failing.threads[failing.steps[step as usize].thread as usize].name;
    let pairs = cause.orders.iter().copied().chain(ordered).chain(met(failing));
    let mut joins: Vec<Remedy> = Vec::new();
    for (early, ends) in pairs.filter(|(early, late)| name(*late).is_child_of(name(*early))) {
        let before_locked = takes_lock(failing, early);
        for before in [early, begins_to_take_away(failing, early)].into_iter().chain(before_locked) {
            let join = Remedy::Join { ends, before, trial: Trial::Untried };
            if joins.iter().all(|known| known.steps().1 != before) {
                joins.push(join);
            }
        }
    }
    joins.truncate(MOST_SUGGESTED);
    joins
}

/// The step of another thread whose effect the failing step meets, and the failing step.
fn met(failing: &Execution) -> Option<(u32, u32)> {
    let late = failing_step(failing)?;
    let step = &failing.steps[late as usize];
    let is_end = |number: &u32| {
        let other = &failing.steps[*number as usize];
        other.thread != step.thread && ends_life(other) && at_one_object(other, step)
    };
    let early = step.reads_from.or_else(|| (0..late).rfind(is_end))?;
    Some((failing.steps[early as usize].issued_by.unwrap_or(early), late))
}

/// The first of the steps up to this one that its thread takes one after the other without synchronising, but
/// for taking objects away.
fn begins_to_take_away(failing: &Execution, step: u32) -> u32 {
    let thread = failing.steps[step as usize].thread;
    let takes_away = |step: &ExecutedStep| {
        matches!(step.kind.effect(), None | Some(CallEffect::Destroy | CallEffect::Free))
    };
    let own = (0..step).rev().filter(|number| {
        let other = &failing.steps[*number as usize];
        other.thread == thread && other.kind != EventKind::Commit
    });
    own.take_while(|number| takes_away(&failing.steps[*number as usize])).last().unwrap_or(step)
}

/// The step in which a thread takes the outermost of the locks that it holds at this one, if it holds any.
fn takes_lock(failing: &Execution, step: u32) -> Option<u32> {
    let thread = failing.steps[step as usize].thread;
    let outermost = failing.steps[step as usize].locks.first()?;
    let own = (0..step).rev().filter(|number| {
        let other = &failing.steps[*number as usize];
        other.thread == thread && other.kind != EventKind::Commit
    });
    let is_free = |number: &u32| failing.steps[*number as usize].locks.first() != Some(outermost);
    let is_it = |number: &u32| failing.steps[*number as usize].is_call_at(outermost);
    own.into_iter().find(is_free).filter(is_it)
}

#[cfg(test)]
mod tests {
    use super::super::tests::execution;
    use super::*;
    use symx_trace::{Failure, FailureKind, ThreadName};

    #[test]
    fn what_others_come_between_by_the_cause_is_a_block() {
        // A stack's top is read, taken away and put back by another thread, and exchanged.
        let failing = execution(&[
            (0, 'r', "top", None),
            (0, 'r', "next", None),
            (1, 'w', "top", None),
            (1, 'w', "next", None),
            (1, 'w', "top", None),
            (0, 'w', "top", None),
        ]);
        let cause = Cause { orders: vec![(1, 3), (4, 5), (0, 2)], ..Cause::default() };
        let block = |first, last| Remedy::AtomicBlock { first, last, trial: Trial::Untried };
        assert_eq!(blocks_of_cause(&failing, &cause), [block(1, 5), block(0, 5)]);
        // Each comes before the other one looks, and either is enough.
        let cause = Cause { orders: vec![(1, 3), (2, 5)], ..Cause::default() };
        assert_eq!(blocks_of_cause(&failing, &cause), [block(2, 3), block(1, 5)]);
        // Nothing is enclosed.
        let cause = Cause { orders: vec![(1, 2), (0, 3)], ..Cause::default() };
        assert_eq!(blocks_of_cause(&failing, &cause), []);
    }

    #[test]
    fn what_is_not_always_reached_is_waited_for_at_the_next_step() {
        let mut failing = execution(&[(1, 'w', "ready", None), (0, 'r', "ready", Some(0))]);
        let passing =
            execution(&[(0, 'r', "ready", None), (1, 'w', "ready", None), (0, 'l', "thread 0.1", None)]);
        let order = |before, after| Remedy::Order { before, after, trial: Trial::Untried };
        assert_eq!(later_orders(&mut failing, &passing, &[order(1, 0)]), [order(2, 0)]);
        let added = &failing.steps[2];
        assert_eq!((added.thread, &added.object[..], added.is_taken()), (0, "thread 0.1", false));
        // Nothing comes after the write.
        assert_eq!(later_orders(&mut failing, &passing, &[order(0, 1)]), []);
        assert_eq!(failing.steps.len(), 3);
    }

    #[test]
    fn a_thread_that_frees_waits_for_the_end_of_one_it_created() {
        let failing = execution(&[
            (0, 'l', "thread 0.1", None),
            (0, 'r', "lock", None),
            (1, 'r', "lock", None),
            (0, 'w', "lock", None),
            (1, 'l', "heap", None),
        ]);
        let join = |ends, before| Remedy::Join { ends, before, trial: Trial::Untried };
        let cause = Cause { orders: vec![(3, 4)], ..Cause::default() };
        assert_eq!(joins(&failing, &cause, &[]), [join(4, 3), join(4, 1)]);
        let order = |before, after| Remedy::Order { before, after, trial: Trial::Untried };
        assert_eq!(joins(&failing, &Cause::default(), &[order(2, 1)]), [join(2, 1)]);
        // No cause is known: it is inferred from what the failing step read.
        let mut failing = failing;
        failing.steps[4].reads_from = Some(3);
        assert_eq!(joins(&failing, &Cause::default(), &[]), []);
        let fault = Failure::new(FailureKind::Memory, "");
        failing.failure = Some(Failure { thread: ThreadName::main().child(1), ..fault });
        assert_eq!(joins(&failing, &Cause::default(), &[]), [join(4, 3), join(4, 1)]);
        failing.failure = None;
        // A created thread waits for no other thread's end.
        let cause = Cause { orders: vec![(2, 3)], ..Cause::default() };
        assert_eq!(joins(&failing, &cause, &[order(3, 2)]), []);
    }

    #[test]
    fn a_free_under_a_lock_waits_before_the_lock_is_acquired() {
        let mut failing = execution(&[
            (0, 'l', "lock", None),
            (0, 'r', "size", None),
            (0, 'w', "buffer", None),
            (0, 'l', "lock", None),
            (1, 'l', "lock", None),
            (1, 'r', "buffer", Some(2)),
        ]);
        for held in [1, 2, 3, 5] {
            failing.steps[held].locks = vec!["lock".into()];
        }
        let join = |ends, before| Remedy::Join { ends, before, trial: Trial::Untried };
        let cause = Cause { orders: vec![(2, 5)], ..Cause::default() };
        assert_eq!(joins(&failing, &cause, &[]), [join(5, 2), join(5, 1), join(5, 0)]);
    }

    #[test]
    fn a_write_that_was_not_reached_is_to_come_before() {
        let mut failing = execution(&[(1, 'r', "ready", None)]);
        let passing = execution(&[(0, 'w', "ready", None), (1, 'r', "ready", Some(0))]);
        let difference = super::super::difference(&failing, &passing);
        let order = Remedy::Order { before: 1, after: 0, trial: Trial::Untried };
        assert_eq!(orders_of_unreached(&mut failing, &passing, &difference), [order]);
        assert!(failing.steps[1].thread == 0 && !failing.steps[1].is_taken());
    }
}
