//! The differential projection of two executions: exactly the steps and data flows that differ (Symbiosis
//! section 3.6), and what the difference suggests (`remedies.rs`).
//!
//! A step is the same in both if it is its thread's `n`-th and does the same at the same place. Where memory
//! is read from the same writes in both, the difference is the order of threads at locks, conditions and the
//! like.

mod accesses;
mod events;
mod folding;
mod limits;
mod lives;
mod missing_lock;
mod remedies;
mod second_thoughts;
mod suspects;

pub use accesses::{of_old_reads, of_race};
pub use events::steps_of_events;
pub use folding::fold;
pub use lives::{add_last_use, is_cut_short};
pub use missing_lock::missing_locks;
pub use remedies::remedies;
pub use second_thoughts::{blocks_of_cause, joins, later_orders, orders_of_unreached};
pub use suspects::{Suspect, Visit, occurrence, occurrences, reversed_orders, suspects, visit, visits};

use std::collections::{BTreeSet, HashMap};
use symx_trace::explanation::{Cause, Difference, ExecutedStep, Execution, Flow, Progress};
use symx_trace::{CallEffect, EventKind, ThreadName};

/// Which steps of two executions are the same.
pub(crate) struct Matching {
    /// By step of the failing execution, the passing execution's.
    pub to_passing: Vec<Option<u32>>,
    /// By step of the passing execution, the failing one's.
    pub to_failing: Vec<Option<u32>>,
}

impl Matching {
    pub(crate) fn new(failing: &Execution, passing: &Execution) -> Self {
        let mut matching =
            Self { to_passing: vec![None; failing.steps.len()], to_failing: vec![None; passing.steps.len()] };
        let (mine, theirs) = (by_thread(failing), by_thread(passing));
        for (thread, steps) in &mine {
            let others = theirs.get(thread).map_or(&[][..], Vec::as_slice);
            for (one, other) in steps.iter().zip(others) {
                if !failing.steps[*one as usize].does_the_same(&passing.steps[*other as usize]) {
                    break;
                }
                matching.join(*one, *other);
            }
        }
        // A commit is that of the same store.
        let issued: HashMap<u32, u32> = commits(passing).collect();
        for (store, commit) in commits(failing) {
            let other = matching.to_passing[store as usize].and_then(|store| issued.get(&store));
            if let Some(other) = other {
                matching.join(commit, *other);
            }
        }
        matching
    }

    fn join(&mut self, failing: u32, passing: u32) {
        self.to_passing[failing as usize] = Some(passing);
        self.to_failing[passing as usize] = Some(failing);
    }
}

/// Each thread's steps, commits left out.
fn by_thread(execution: &Execution) -> HashMap<&ThreadName, Vec<u32>> {
    let mut steps: HashMap<&ThreadName, Vec<u32>> = HashMap::new();
    for (number, step) in execution.steps.iter().enumerate() {
        if step.kind != EventKind::Commit {
            let name = &execution.threads[step.thread as usize].name;
            steps.entry(name).or_default().push(number as u32);
        }
    }
    steps
}

fn commits(execution: &Execution) -> impl Iterator<Item = (u32, u32)> + '_ {
    let steps = execution.steps.iter().enumerate();
    steps.filter_map(|(number, step)| Some((step.issued_by?, number as u32)))
}

/// Whether the thread of some step diverges from its path: it does something else than in the failing
/// execution.
pub fn leaves_paths(failing: &Execution, passing: &Execution) -> Vec<ThreadName> {
    let (mine, theirs) = (by_thread(failing), by_thread(passing));
    let mut left: Vec<ThreadName> = Vec::new();
    for lane in &failing.threads {
        let (Some(steps), Some(others)) = (mine.get(&lane.name), theirs.get(&lane.name)) else { continue };
        let pairs = steps.iter().zip(others);
        let is_other = |(one, other): (&u32, &u32)| {
            let step = &failing.steps[*one as usize];
            step.progress != Progress::NotReached && !step.does_the_same(&passing.steps[*other as usize])
        };
        if pairs.into_iter().any(is_other) {
            left.push(lane.name.clone());
        }
    }
    left
}

/// Where two executions differ.
pub fn difference(failing: &Execution, passing: &Execution) -> Difference {
    let matching = Matching::new(failing, passing);
    let mut difference =
        Difference { broken_segments: broken_segments(failing, passing, &matching), ..Difference::default() };
    let sources = |execution: &Execution| -> Vec<Option<u32>> {
        execution.steps.iter().map(|step| step.reads_from).collect()
    };
    let reads = |step: &ExecutedStep| reads_memory(step);
    let mut compare =
        |mine: &[Option<u32>], theirs: &[Option<u32>], counts: &dyn Fn(&ExecutedStep) -> bool| {
            for (number, step) in failing.steps.iter().enumerate() {
                let Some(other) = matching.to_passing[number].filter(|_| counts(step)) else { continue };
                let (source, other_source) = (mine[number], theirs[other as usize]);
                let translated = other_source.map(|step| matching.to_failing[step as usize]);
                let is_same = match (source, translated) {
                    (None, None) => true,
                    (Some(source), Some(Some(translated))) => source == translated,
                    _ => false,
                };
                if !is_same {
                    difference.failing_flows.push(Flow { from: source, to: number as u32 });
                    difference.passing_flows.push(Flow { from: other_source, to: other });
                }
            }
        };
    compare(&sources(failing), &sources(passing), &reads);
    if difference.failing_flows.is_empty() {
        let mut handovers = Difference::default();
        let mut changed = changed_handovers(failing, passing, &matching);
        // The order of threads at a lock follows from which thread waits for which elsewhere.
        let fails = lives::failing_step(failing);
        let is_at_lock = |number: u32| {
            let effect = failing.steps[number as usize].kind.effect();
            matches!(effect, Some(CallEffect::Lock | CallEffect::Unlock)) && Some(number) != fails
        };
        if changed.iter().any(|(number, _)| !is_at_lock(*number)) {
            changed.retain(|(number, _)| !is_at_lock(*number));
        }
        for (number, (before, other_before)) in changed {
            let other = matching.to_passing[number as usize].expect("only such are compared");
            handovers.failing_flows.push(Flow { from: before, to: number });
            handovers.passing_flows.push(Flow { from: other_before, to: other });
        }
        difference.failing_steps = ends(&handovers.failing_flows);
        difference.passing_steps = ends(&handovers.passing_flows);
    } else {
        difference.failing_steps = ends(&difference.failing_flows);
        difference.passing_steps = ends(&difference.passing_flows);
    }
    complete(&mut difference, &matching);
    difference
}

/// Where no step that both executions take differs: the steps whose order makes the one fail are what
/// is to be shown.
pub fn show_cause(difference: &mut Difference, failing: &Execution, passing: &Execution, cause: &Cause) {
    if !difference.failing_steps.is_empty() {
        return;
    }
    let steps: BTreeSet<u32> = cause.orders.iter().flat_map(|(one, other)| [*one, *other]).collect();
    difference.failing_steps = steps.into_iter().collect();
    complete(difference, &Matching::new(failing, passing));
}

/// Whether a step reads memory that others write.
pub(crate) fn reads_memory(step: &ExecutedStep) -> bool {
    matches!(step.kind, EventKind::Read | EventKind::ReadModifyWrite) && step.is_taken()
}

/// Whether what a step does to its object matters to others that touch it.
pub(crate) fn changes_object(step: &ExecutedStep) -> bool {
    !matches!(step.kind, EventKind::Read | EventKind::Fence) && !step.object.is_empty()
}

/// Whether an object's life ends with a step.
pub(crate) fn ends_life(step: &ExecutedStep) -> bool {
    step.kind == EventKind::Free || step.kind.effect() == Some(CallEffect::Free)
}

/// The object that a step touches a part of. Explanations up to version 6 identify it by a name alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Whole<'s> {
    /// At this address.
    At(u64),
    /// Of this name.
    Named(&'s str),
}

fn whole(step: &ExecutedStep) -> Whole<'_> {
    step.place.map_or_else(|| Whole::Named(named_whole(&step.object)), |place| Whole::At(place.object))
}

/// The object that a part is named after: `job` of `job.next[3]` and `job+8`.
fn named_whole(object: &str) -> &str {
    let mut depth = 0;
    let is_end = |(_, letter): &(usize, char)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(letter, '+' | '.' | '[')
    };
    object.char_indices().find(is_end).map_or(object, |(end, _)| &object[..end])
}

/// Whether two steps are at one object, or one of them ends the life of what the other one is at a part of.
pub(crate) fn at_one_object(one: &ExecutedStep, other: &ExecutedStep) -> bool {
    let is_end = ends_life(one) || ends_life(other);
    !one.object.is_empty() && (one.is_at_same_part(other) || is_end && whole(one) == whole(other))
}

/// Whether the order of two steps of different threads may matter.
pub(crate) fn conflict(one: &ExecutedStep, other: &ExecutedStep) -> bool {
    one.thread != other.thread && at_one_object(one, other) && (changes_object(one) || changes_object(other))
}

/// Both executions show what either of them shows, as far as it happened there.
fn complete(difference: &mut Difference, matching: &Matching) {
    let mine: BTreeSet<u32> = difference.failing_steps.iter().copied().collect();
    let theirs: BTreeSet<u32> = difference.passing_steps.iter().copied().collect();
    let from_theirs = theirs.iter().filter_map(|step| matching.to_failing[*step as usize]);
    let from_mine = mine.iter().filter_map(|step| matching.to_passing[*step as usize]);
    difference.failing_steps =
        mine.iter().copied().chain(from_theirs).collect::<BTreeSet<_>>().into_iter().collect();
    difference.passing_steps =
        theirs.iter().copied().chain(from_mine).collect::<BTreeSet<_>>().into_iter().collect();
}

fn ends(flows: &[Flow]) -> Vec<u32> {
    let ends: BTreeSet<u32> = flows.iter().flat_map(|flow| flow.from.into_iter().chain([flow.to])).collect();
    ends.into_iter().collect()
}

/// A step that has another predecessor at its object, with the predecessors in both executions.
type Handover = (u32, (Option<u32>, Option<u32>));

/// Steps that synchronise and follow another one at their object than in the passing execution.
fn changed_handovers(failing: &Execution, passing: &Execution, matching: &Matching) -> Vec<Handover> {
    let (mine, theirs) = (predecessors(failing), predecessors(passing));
    let mut changed = Vec::new();
    for (number, before) in mine.iter().enumerate() {
        let Some(other) = matching.to_passing[number] else { continue };
        let other_before = theirs[other as usize];
        let is_same = match (*before, other_before) {
            (None, None) => true,
            (Some(one), Some(other)) => matching.to_passing[one as usize] == Some(other),
            _ => false,
        };
        if !is_same {
            changed.push((number as u32, (*before, other_before)));
        }
    }
    changed
}

/// By step that synchronises or writes, the last step of another thread at its object before it. The end of
/// an object's life is one at all its parts; reads have no other predecessor than that.
fn predecessors(execution: &Execution) -> Vec<Option<u32>> {
    // Calls and accesses at one part count together: one may store to a word that the other waits at.
    let mut at_place: HashMap<(Whole<'_>, &str), Vec<u32>> = HashMap::new();
    let mut in_object: HashMap<Whole<'_>, Vec<u32>> = HashMap::new();
    let mut ends: HashMap<Whole<'_>, Vec<u32>> = HashMap::new();
    let mut before = Vec::with_capacity(execution.steps.len());
    for (number, step) in execution.steps.iter().enumerate() {
        if step.object.is_empty() || step.kind == EventKind::Fence {
            before.push(None);
            continue;
        }
        let of_other = |steps: Option<&Vec<u32>>| {
            let mut latest = steps.into_iter().flatten().rev();
            latest.find(|other| execution.steps[**other as usize].thread != step.thread).copied()
        };
        let whole = whole(step);
        let part = (whole, &*step.object);
        let is_change = matches!(step.kind, EventKind::Call(_) | EventKind::Write | EventKind::Commit);
        before.push(match ends_life(step) {
            true => of_other(in_object.get(&whole)),
            false if is_change => of_other(at_place.get(&part)).max(of_other(ends.get(&whole))),
            false => of_other(ends.get(&whole)),
        });
        if is_change {
            at_place.entry(part).or_default().push(number as u32);
        }
        in_object.entry(whole).or_default().push(number as u32);
        if ends_life(step) {
            ends.entry(whole).or_default().push(number as u32);
        }
    }
    before
}

/// Stretches of one thread in the failing execution that another one's step interrupts in the passing
/// execution.
fn broken_segments(failing: &Execution, passing: &Execution, matching: &Matching) -> u32 {
    let steps: Vec<u32> = (0..failing.steps.len() as u32)
        .filter(|step| failing.steps[*step as usize].kind != EventKind::Commit)
        .collect();
    let thread = |step: u32| failing.steps[step as usize].thread;
    let segments = steps.chunk_by(|one, next| thread(*one) == thread(*next));
    let is_broken = |segment: &&[u32]| {
        let places: Vec<u32> =
            segment.iter().filter_map(|step| matching.to_passing[*step as usize]).collect();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return false };
        let own = passing.steps[first as usize].thread;
        let between = &passing.steps[first as usize..last as usize];
        between.iter().any(|step| step.thread != own && step.kind != EventKind::Commit)
    };
    segments.filter(is_broken).count() as u32
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use symx_trace::explanation::Lane;
    use symx_trace::{Call, Location};

    /// An execution of accesses: thread, `r` or `w`, object, and the step read from.
    pub(crate) fn execution(steps: &[(u32, char, &str, Option<u32>)]) -> Execution {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        let steps = steps.iter().map(|(thread, kind, object, reads_from)| {
            let line = counts.entry(*thread).or_default();
            *line += 1;
            let kind = match kind {
                'r' => EventKind::Read,
                'w' => EventKind::Write,
                _ => EventKind::Call(Call::new("lock", CallEffect::Lock)),
            };
            ExecutedStep {
                reads_from: *reads_from,
                location: Location { line: *line, ..Location::default() },
                ..ExecutedStep::taken(*thread, kind, *object)
            }
        });
        let names = [ThreadName::main(), ThreadName::main().child(1), ThreadName::main().child(2)];
        let threads = names.map(|name| Lane { name, ..Lane::default() });
        Execution { threads: threads.to_vec(), steps: steps.collect(), ..Execution::default() }
    }

    /// A failing execution and a passing one.
    pub(super) fn lost_update() -> [Execution; 2] {
        let [read, write] = ['r', 'w'].map(|kind| move |thread, from| (thread, kind, "n", from));
        let failing = [read(0, None), read(1, None), write(0, None), write(1, None)];
        let passing = [read(0, None), write(0, None), read(1, Some(1)), write(1, None)];
        [failing, passing].map(|steps| execution(&steps))
    }

    #[test]
    fn a_lost_update_differs_in_one_flow() {
        let [failing, passing] = lost_update();
        let difference = difference(&failing, &passing);
        assert_eq!(difference.failing_flows, [Flow { from: None, to: 1 }]);
        assert_eq!(difference.passing_flows, [Flow { from: Some(1), to: 2 }]);
        assert_eq!(
            (&difference.failing_steps[..], &difference.passing_steps[..]),
            (&[1, 2][..], &[1, 2][..])
        );
        assert_eq!(difference.broken_segments, 0);
    }

    #[test]
    fn where_no_flow_differs_the_order_at_locks_does() {
        let failing = execution(&[(0, 'l', "a", None), (1, 'l', "b", None)]);
        let passing = execution(&[(0, 'l', "a", None), (0, 'l', "b", None), (1, 'l', "b", None)]);
        let difference = difference(&failing, &passing);
        assert!(difference.failing_flows.is_empty());
        assert_eq!((&difference.failing_steps[..], &difference.passing_steps[..]), (&[1][..], &[1, 2][..]));
    }

    #[test]
    fn what_is_equal_does_not_differ() {
        let one = execution(&[(0, 'w', "n", None), (1, 'r', "n", Some(0))]);
        assert_eq!(difference(&one, &one), Difference::default());
    }
}
