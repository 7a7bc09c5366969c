//! Explanations in words: what a step does, what the cause is, what would help. All reports say
//! it the same way.

mod advice;
mod location;
mod outcome;

pub use advice::advice;
use advice::{of_signal, of_unlocked_signal, of_wait};
pub use location::{common_file, place};
pub use outcome::{giving_up, outcome};

use crate::text::{counted, one_line};
use symx_trace::explanation::{
    Cause, Check, Dependence, ExecutedStep, Execution, Explanation, Explored, Flow, Progress, Reach, Remedy,
    Trial,
};
use symx_trace::{CallEffect, EventKind, Failure, FlippedBranch, Location};

/// Of what a cause is known that was not checked by exploration.
const OF_THESE_EVENTS: &str = "proven for executions with the events of this one";

/// A step's verb: its object and value are the step's own.
pub fn verb(kind: &EventKind) -> &str {
    match kind {
        EventKind::Read => "read",
        EventKind::Write => "write",
        EventKind::ReadModifyWrite => "update",
        EventKind::Fence => "fence",
        EventKind::Commit => "drain",
        EventKind::Free => "end of",
        EventKind::Failure => "failure",
        EventKind::Call(call) if call.effect == CallEffect::ThreadEnd => "end of thread",
        EventKind::Call(call) if call.name.is_empty() => "call",
        EventKind::Call(call) => &call.name,
    }
}

/// Whether the step is a call by name.
pub fn is_call(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Call(call) if !call.name.is_empty() && call.effect != CallEffect::ThreadEnd)
}

/// The object of a step; that a thread's last step is the thread's own need not be said.
pub fn object(step: &ExecutedStep) -> &str {
    if step.kind.effect() == Some(CallEffect::ThreadEnd) { "" } else { &step.object }
}

/// The value read or written, why there is none, or what has come of the call.
pub fn value(step: &ExecutedStep) -> &str {
    match step.progress {
        Progress::Taken if !outcome(step).is_empty() => outcome(step),
        Progress::Taken => &step.value,
        Progress::Waits => "waits forever",
        Progress::NotReached => "not reached",
    }
}

/// `read count: 0`, `pthread_mutex_lock(queue)`.
pub fn action(step: &ExecutedStep) -> String {
    let (verb, object) = (verb(&step.kind), object(step));
    let mut text = match (is_call(&step.kind), object.is_empty()) {
        (true, _) => format!("{verb}({object})"),
        (false, true) => verb.to_owned(),
        (false, false) => format!("{verb} {object}"),
    };
    let value = value(step);
    if !value.is_empty() {
        text.push_str(": ");
        text.push_str(value);
    }
    if step.folded > 0 {
        text.push_str(&format!(" (and {} more times)", step.folded));
    }
    text
}

/// Branches that are listed of a comparison.
const MOST_BRANCHES: usize = 3;

/// The branches that the two executions compared take in different ways, a sentence each.
pub fn branches(explanation: &Explanation) -> Vec<String> {
    let branches = &explanation.branches;
    let told = |branch: &FlippedBranch| format!("in the passing execution, {}", flipped(branch));
    let mut lines: Vec<String> = branches.iter().take(MOST_BRANCHES).map(told).collect();
    lines.dedup();
    if branches.len() > MOST_BRANCHES {
        lines.push(format!("{} more branches differ", branches.len() - MOST_BRANCHES));
    }
    lines
}

/// Which way a thread goes at a branch, compared with another execution.
pub fn flipped(branch: &FlippedBranch) -> String {
    let branching = match place(&branch.location) {
        nowhere if nowhere.is_empty() => "a branch without a source line".to_owned(),
        place => format!("the branch at {place}"),
    };
    format!("{branching} goes the other way in {}", branch.title)
}

/// Where a step is in the source: a store that reaches memory has the place of the step that issued it.
pub fn location_of<'a>(execution: &'a Execution, step: &'a ExecutedStep) -> &'a Location {
    match step.issued_by {
        Some(issuer) if step.location.line == 0 => &execution.steps[issuer as usize].location,
        _ => &step.location,
    }
}

/// `step 4, T1 worker: read count: 0 (a.c:12)`; steps are counted from 1.
pub fn step(execution: &Execution, index: u32) -> String {
    let step = &execution.steps[index as usize];
    let title = execution.threads[step.thread as usize].title();
    let place = place(location_of(execution, step));
    let place = if place.is_empty() { place } else { format!(" ({place})") };
    format!("step {}, {title}: {}{place}", index + 1, action(step))
}

/// The failure of an execution in a sentence.
pub fn failure(failing: &Execution, failure: &Failure) -> String {
    let message = one_line(&failure.message);
    format!("{}{}: {}.", failing.title(&failure.thread), at(failure), message.trim_end_matches('.'))
}

/// Which thread fails and where, in a sentence.
pub fn where_it_fails(failing: &Execution, failure: &Failure) -> String {
    format!("{} fails{}.", failing.title(&failure.thread), at(failure))
}

fn at(failure: &Failure) -> String {
    match (place(&failure.location), failure.location.function.as_str()) {
        (place, _) if place.is_empty() => String::new(),
        (place, "") => format!(" at {place}"),
        (place, function) => format!(" at {place}, in {function}"),
    }
}

/// The cause in a sentence; the orders it speaks of are in [`orders`].
pub fn cause(explanation: &Explanation) -> String {
    let Cause { orders, is_minimal, reach, .. } = &explanation.cause;
    if orders.is_empty() {
        let none = "The root cause is unknown: it was not analysed or not found.";
        return without_steps(explanation).unwrap_or_else(|| none.into());
    }
    let minimal = if *is_minimal { " (minimal)" } else { "" };
    let on = match reach {
        Reach::Paths => "with the events of this execution, ",
        Reach::Program => "",
    };
    let holds = match orders.len() {
        1 => "this event ordering holds".into(),
        orders => format!("these {orders} event orderings hold"),
    };
    format!("Root cause{minimal}: {on}the failure occurs whenever {holds}:")
}

/// What is known of the cause where it is no pairs of steps: that no order matters, or the orders in words.
pub fn without_steps(explanation: &Explanation) -> Option<String> {
    let whole = without_orders(explanation.dependence).map(str::to_owned);
    whole.or_else(|| in_words(&explanation.cause))
}

/// What a cause is of which an event is no step of the execution; `None` where the orders are pairs of steps.
pub fn in_words(cause: &Cause) -> Option<String> {
    let orders = cause.in_words.join(", and ");
    (!orders.is_empty()).then(|| format!("root cause ({OF_THESE_EVENTS}): {orders}"))
}

/// How a cause was checked by exploring the program, in a sentence; nothing if there is none.
pub fn checked(cause: &Cause) -> Option<String> {
    let told = match (&cause.check, cause.reach) {
        _ if cause.orders.is_empty() => return None,
        (Check::Unchecked, _) => {
            "Proven for executions that have no other events; not checked by exploration.".into()
        }
        (Check::Complete(Explored { states: Some(states), .. }), reach) => {
            let states = counted(*states, "state");
            let passing = if reach == Reach::Program { "each execution fails in this way" } else { "none passes" };
            format!("Verified: all executions explored, {states} in all, each once; {passing}.")
        }
        (Check::Complete(explored), Reach::Program) => {
            format!("Verified: {} explored completely, each fails in this way.", amount(explored))
        }
        (Check::Complete(explored), Reach::Paths) => format!(
            "Verified: {} explored completely, none passes; some fail in another way.",
            amount(explored)
        ),
        (Check::Partial { explored, reason }, _) => format!(
            "Proven for executions that have no other events; no counterexample found in {} (incomplete: {reason}).",
            amount(explored)
        ),
        (Check::PassesElsewhere, _) => {
            "Proven for executions that have no other events; one with further events or another branch passes.".into()
        }
    };
    Some(told)
}

/// `3 executions`; `20 states`, where each was explored once.
fn amount(explored: &Explored) -> String {
    let executions = || counted(explored.executions, "execution");
    explored.states.map_or_else(executions, |states| counted(states, "state"))
}

/// That no order matters, in a sentence.
pub fn without_orders(dependence: Dependence) -> Option<&'static str> {
    match dependence {
        Dependence::Order => None,
        Dependence::Inputs => Some(
            "Not schedule-dependent: with these inputs, every execution fails in this way. All were explored.",
        ),
        Dependence::Nothing => {
            Some("Not schedule-dependent: every execution fails in this way. All were explored.")
        }
        Dependence::WhichFailure => Some(
            "Every execution fails, not all in this way: the order decides which failure comes first. All were explored.",
        ),
    }
}

/// Suggested fixes, a sentence each: those that follow from the steps; where none of those is known to help,
/// those by the class of failure.
pub fn remedies(explanation: &Explanation) -> Vec<String> {
    let fails = |remedy: &&Remedy| matches!(remedy.trial(), Trial::Fails(_));
    let suggested = explanation.remedies.iter().filter(|remedy| !fails(remedy));
    let mut told: Vec<String> = suggested.map(|one| remedy(explanation, one)).collect();
    let helps = |remedy: &Remedy| matches!(remedy.trial(), Trial::Safe | Trial::SafeTogether);
    if !explanation.remedies.iter().any(helps) {
        told.extend(of_wait(&explanation.failing));
        told.extend(of_unlocked_signal(&explanation.failing));
    }
    told.extend(of_signal(&explanation.failing));
    if told.is_empty() {
        let failure = explanation.failing.failure.as_ref();
        told.extend(failure.and_then(advice).map(String::from));
    }
    told
}

/// Suggested fixes by the class of failure, where no other is known to help.
pub fn advised(failing: &Execution) -> Vec<String> {
    let told = [of_unlocked_signal(failing), of_wait(failing), of_signal(failing)];
    let general = failing.failure.as_ref().and_then(advice).map(String::from);
    told.into_iter().flatten().chain(general).collect()
}

/// How a cause is known to be one, in a few words.
pub fn proof(cause: &Cause) -> String {
    let them = if cause.orders.len() == 1 { "it" } else { "them" };
    let all = |explored: &Explored| match (explored.states, explored.executions) {
        (Some(states), _) => format!("all executions with {them}, {} in all", counted(states, "state")),
        (None, 1) => format!("the only execution with {them}"),
        (None, count) => format!("all {count} executions with {them}"),
    };
    match (&cause.check, cause.reach) {
        (Check::Unchecked, _) => OF_THESE_EVENTS.into(),
        (Check::Complete(explored), Reach::Program) => format!("verified by exploring {}", all(explored)),
        (Check::Complete(explored), Reach::Paths) => {
            format!("verified by exploring {}: none passes", all(explored))
        }
        (Check::Partial { explored, .. }, _) => {
            format!("{OF_THESE_EVENTS}, no counterexample in {}", amount(explored))
        }
        (Check::PassesElsewhere, _) => format!("{OF_THESE_EVENTS}; on other paths it may pass"),
    }
}

/// The orders of the cause, a sentence each.
pub fn orders(explanation: &Explanation) -> Vec<String> {
    let sentence = |(earlier, later)| format!("{earlier} — before — {later}");
    ordered_pairs(explanation).map(sentence).collect()
}

/// The orders of the cause: the earlier event and the later one.
pub fn ordered_pairs(explanation: &Explanation) -> impl Iterator<Item = (String, String)> {
    let (failing, cause) = (&explanation.failing, &explanation.cause);
    cause.orders.iter().enumerate().map(move |(number, (earlier, later))| {
        let (one, other) = times(cause, number);
        (format!("{}{one}", step(failing, *earlier)), format!("{}{other}", step(failing, *later)))
    })
}

/// At which of its visits there a thread takes either step of an order of the cause; nothing at the first.
pub fn times(cause: &Cause, order: usize) -> (String, String) {
    let time = |visit: u32| match visit {
        0 | 1 => String::new(),
        2 => ", at its 2nd visit".into(),
        3 => ", at its 3rd visit".into(),
        visit => format!(", at its visit no. {visit}"),
    };
    let (one, other) = cause.visits.get(order).copied().unwrap_or_default();
    (time(one), time(other))
}

/// The data flows that differ, a sentence for each step that reads: the value, and the value in the passing
/// execution.
pub fn flows(explanation: &Explanation) -> Vec<String> {
    let difference = &explanation.difference;
    let failing = &explanation.failing;
    let Some(passing) = &explanation.passing else { return Vec::new() };
    let reader = |execution: &Execution, step: u32| {
        let step = &execution.steps[step as usize];
        let name = execution.threads[step.thread as usize].name.clone();
        (name, step.kind.clone(), step.object.clone(), location_of(execution, step).clone())
    };
    let mut others: Vec<&Flow> = difference.passing_flows.iter().collect();
    let mut sentences = Vec::new();
    for flow in &difference.failing_flows {
        let here = gets(failing, flow, "");
        let same = |other: &&Flow| reader(passing, other.to) == reader(failing, flow.to);
        let there = match others.iter().position(same) {
            Some(at) => format!("reads {}", gets(passing, others.remove(at), "its ")),
            None => "does not execute this read".into(),
        };
        sentences
            .push(format!("{} {here}; in the passing execution it {there}.", subject(failing, flow.to, "")));
    }
    for flow in others {
        let subject = subject(passing, flow.to, "its ");
        sentences.push(format!("In the passing execution {subject} {}.", gets(passing, flow, "its ")));
    }
    sentences
}

/// `T1 worker (step 4, a.c:10) reads count:`.
fn subject(execution: &Execution, index: u32, whose: &str) -> String {
    let step = &execution.steps[index as usize];
    let title = execution.threads[step.thread as usize].title();
    let place = place(location_of(execution, step));
    let place = if place.is_empty() { place } else { format!(", {place}") };
    let object = if step.object.is_empty() { "memory" } else { &step.object };
    format!("{title} ({}{place}) reads {object}:", step_of(index, whose))
}

/// `3, written by T2 worker (step 8)`.
fn gets(execution: &Execution, flow: &Flow, whose: &str) -> String {
    let value = match execution.steps[flow.to as usize].value.as_str() {
        "" => "the value",
        value => value,
    };
    match flow.from {
        None => format!("{value}, the initial value"),
        Some(from) => {
            let writer = execution.threads[execution.steps[from as usize].thread as usize].title();
            format!("{value}, written by {writer} ({})", step_of(from, whose))
        }
    }
}

/// Steps of the passing execution have numbers of their own.
fn step_of(index: u32, whose: &str) -> String {
    if whose.is_empty() { format!("step {}", index + 1) } else { format!("{whose}step {}", index + 1) }
}

/// A suggested fix, in a sentence, and the result of trying it.
pub fn remedy(explanation: &Explanation, remedy: &Remedy) -> String {
    let failing = &explanation.failing;
    let (one, other) = remedy.steps();
    let (first, second) = (&failing.steps[one as usize], &failing.steps[other as usize]);
    let name = failing.threads[first.thread as usize].title();
    let text = match remedy {
        Remedy::AtomicBlock { .. }
            if is_call(&first.kind) && is_call(&second.kind) && first.part() != second.part() =>
        {
            format!(
                "Acquire {} and {} in the same order in all threads, or guard {} of {name} ({}) with one more lock.",
                first.object.quoted(),
                second.object.quoted(),
                lines(failing, one, other),
                steps(one, other)
            )
        }
        Remedy::AtomicBlock { .. } => format!(
            "Make {} of {name} one critical section{} ({}): hold {} there, and at every other access.",
            lines(failing, one, other),
            objects(first, second),
            steps(one, other),
            guard_of_block(first, second)
        ),
        Remedy::Order { .. } if !first.is_taken() && is_join(first) => format!(
            "Delay {} until {name} reaches {} ({}), e.g. with a wait or a flag.",
            step(failing, other),
            action(&ExecutedStep { progress: Progress::Taken, value: String::new(), ..first.clone() }),
            place(location_of(failing, first))
        ),
        Remedy::Order { .. } => {
            format!(
                "Order {} after {}, e.g. with a wait, a join or a flag.",
                step(failing, other),
                step(failing, one)
            )
        }
        Remedy::Fence { .. } => format!(
            "Put a full memory fence after {} and before {}: the store is still in the store buffer when the second is executed.",
            step(failing, one),
            step(failing, other)
        ),
        Remedy::Atomic { ordering, .. } => format!(
            "Make both accesses atomic ({ordering}): {}, and {}.",
            step(failing, one),
            step(failing, other)
        ),
        Remedy::Join { .. } => {
            let creator = &failing.threads[second.thread as usize];
            let created = failing.threads.iter().filter(|lane| lane.name.is_child_of(&creator.name)).count();
            let others = format!(", and the other threads that {} created,", creator.title());
            format!(
                "Delay {} until {name} has terminated: join it{} before that.",
                step(failing, other),
                if created > 1 { &others } else { "" }
            )
        }
        Remedy::HoldLock { taken, .. } => format!(
            "Hold {} around {} of {name} ({}): {} is accessed there without it, and elsewhere with it.",
            failing.steps[*taken as usize].object.quoted(),
            lines(failing, one, other),
            steps(one, other),
            first.object.quoted()
        ),
        Remedy::Lock { .. } => format!(
            "Protect both accesses, and every other access to the same object, with one mutex: {}, and {}.",
            step(failing, one),
            step(failing, other)
        ),
    };
    format!("{text} {}", tried(remedy.trial()))
}

/// What a thread is to hold in a block between two of its steps.
pub fn guard_of_block(first: &ExecutedStep, last: &ExecutedStep) -> String {
    let waits = |step: &ExecutedStep| step.kind.effect() == Some(CallEffect::ConditionWait);
    let as_reader = first.locks.iter().find(|lock| lock.is_shared && last.locks.contains(lock));
    match as_reader {
        // The wait releases its own mutex and no other.
        _ if waits(first) || waits(last) => "the mutex of the wait".into(),
        Some(lock) => format!("{} as a writer", lock.name.quoted()),
        None => "a mutex".into(),
    }
}

fn is_join(step: &ExecutedStep) -> bool {
    step.kind.effect() == Some(CallEffect::JoinThread)
}

/// The result of trying a fix.
pub fn tried(trial: &Trial) -> String {
    match trial {
        Trial::Untried => "Not verified: its events share source lines with others.".into(),
        Trial::Safe => "Verified: no failure in any execution.".into(),
        Trial::SafeTogether => {
            "Not sufficient alone. All suggested fixes together are verified: no failure in any execution."
                .into()
        }
        Trial::Fails(how) => format!("Not sufficient: {}.", one_line(how).trim_end_matches('.')),
        Trial::Incomplete(why) => {
            format!("Not fully verified: no failure found, but the exploration is incomplete ({why}).")
        }
    }
}

fn steps(one: u32, other: u32) -> String {
    format!("step {} to step {}", one + 1, other + 1)
}

/// The objects of a block.
fn objects(first: &ExecutedStep, last: &ExecutedStep) -> String {
    match each_once(first, last) {
        none if none.is_empty() => none,
        objects => format!(" on {objects}"),
    }
}

/// The objects of two steps; one of them if they are one, or the other step has none.
pub fn each_once(first: &ExecutedStep, second: &ExecutedStep) -> String {
    let [one, other] = [first, second].map(|step| step.object.quoted());
    match (&*one, &*other) {
        (_, "") => one,
        ("", _) => other,
        (one, other) if one == other => one.to_owned(),
        (one, other) => format!("{one} and {other}"),
    }
}

fn lines(failing: &Execution, one: u32, other: u32) -> String {
    let at = |index: u32| location_of(failing, &failing.steps[index as usize]);
    let (first, last) = (at(one), at(other));
    match (place(first), place(last)) {
        (first, last) if first == last => format!("the code at {first}"),
        (first, last) => format!("the code from {first} to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::lost_update;
    use super::*;
    use symx_ir::SourceName;
    use symx_trace::Call;
    use symx_trace::explanation::HeldLock;

    #[test]
    fn cause_and_remedies_are_sentences() {
        let explanation = lost_update();
        assert_eq!(
            failure(&explanation.failing, explanation.failing.failure.as_ref().unwrap()),
            "T0 main at count.c:18, in main: assertion failed: count == 2."
        );
        let told = cause(&explanation);
        assert_eq!(
            told,
            "Root cause (minimal): with the events of this execution, the failure occurs whenever this event ordering holds:"
        );
        assert_eq!(
            orders(&explanation),
            [
                "step 2, T2 add: read count: 0 (count.c:8) — before — step 3, T1 add: write count: 1 (count.c:8)"
            ]
        );
        assert_eq!(
            flows(&explanation),
            ["T2 add (step 2, count.c:8) reads count: 0, the initial value; \
                 in the passing execution it reads 1, written by T1 add (its step 2)."]
        );
        let sentence = remedy(&explanation, &explanation.remedies[0]);
        assert!(
            sentence.starts_with("Make the code at count.c:8 of T1 add one critical section on `count`"),
            "{sentence}"
        );
        assert!(sentence.ends_with("Verified: no failure in any execution."), "{sentence}");
    }

    #[test]
    fn a_lock_that_is_held_as_a_reader_is_to_be_held_as_a_writer() {
        let mut explanation = lost_update();
        let lock = HeldLock { is_shared: true, ..HeldLock::from("table") };
        explanation.failing.steps.iter_mut().for_each(|step| step.locks = vec![lock.clone()]);
        let told = remedy(&explanation, &explanation.remedies[0]);
        assert!(told.contains(": hold `table` as a writer there, and at every other access."), "{told}");
        explanation.failing.steps.iter_mut().for_each(|step| step.locks[0].is_shared = false);
        let told = remedy(&explanation, &explanation.remedies[0]);
        assert!(told.contains(": hold a mutex there"), "{told}");
    }

    #[test]
    fn where_each_state_was_explored_once_executions_are_not_counted() {
        let mut explanation = lost_update();
        let explored = Explored { executions: 1, states: Some(12) };
        (explanation.cause.check, explanation.cause.reach) = (Check::Complete(explored), Reach::Program);
        let told = checked(&explanation.cause).unwrap();
        let expected = "Verified: all executions explored, 12 states in all, each once; each execution fails in this way.";
        assert_eq!(told, expected);
        assert_eq!(
            proof(&explanation.cause),
            "verified by exploring all executions with it, 12 states in all"
        );
        let partial = Check::Partial { explored, reason: "max-time".into() };
        let json = serde_json::to_value(&partial).unwrap();
        let written =
            serde_json::json!({ "partial": { "executions": 1, "states": 12, "reason": "max-time" } });
        assert_eq!(json, written);
        assert_eq!(serde_json::from_value::<Check>(json).unwrap(), partial);
    }

    #[test]
    fn what_lacks_parts_is_said_without_them() {
        let mut explanation = lost_update();
        let step = &mut explanation.failing.steps[0];
        (step.object, step.location) = (SourceName::default(), Location::default());
        step.value.clear();
        step.kind = EventKind::Fence;
        assert_eq!(super::step(&explanation.failing, 0), "step 1, T1 add: fence");
        // As on the terminal and in the page's key.
        assert_eq!(verb(&EventKind::Commit), "drain");
        step_call(&mut explanation);
        assert_eq!(super::step(&explanation.failing, 0), "step 1, T1 add: sem_wait(full) (and 3 more times)");
    }

    fn step_call(explanation: &mut Explanation) {
        let step = &mut explanation.failing.steps[0];
        (step.kind, step.object, step.folded) =
            (EventKind::Call(Call::new("sem_wait", CallEffect::SemaphoreWait)), "full".into(), 3);
    }
}
